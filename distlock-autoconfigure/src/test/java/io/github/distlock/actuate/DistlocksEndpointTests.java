package io.github.distlock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.actuate.EndpointApplication.list;
import static io.github.distlock.actuate.EndpointApplication.map;
import static io.github.distlock.actuate.EndpointApplication.number;
import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The endpoint {@code distlocks} of an application whose operators may see and end
 * everything.
 */
class DistlocksEndpointTests {

	@AutoClose
	private static final EndpointApplication application = EndpointApplication.start(EndpointApplication.OPEN);

	@Test
	void theListHasThePinnedShape() throws Exception {
		Instant before = Instant.now();
		CompletableFuture<HeldLock> waiter;
		try (HeldLock lock = application.registry().acquire(LockRequest.of("shape").name("Shop.sell"))) {
			waiter = application.acquireElsewhere("shape");
			await(() -> assertThat(list(application.local(), "waiting")).hasSize(1));
			Map<String, Object> body = application.json("/actuator/distlocks");
			assertThat(body).containsOnlyKeys("instance", "registries");
			assertThat(map(body, "instance")).containsOnlyKeys("id", "application", "host", "pid")
				.containsEntry("application", "shop")
				.extractingByKey("pid")
				.hasToString(Long.toString(ProcessHandle.current().pid()));
			Map<String, Object> local = application.local();
			assertThat(local).containsOnlyKeys("held", "waiting", "recent", "hotKeys", "totals");
			Map<String, Object> held = list(local, "held").get(0);
			assertThat(held)
				.containsOnlyKeys("key", "name", "mode", "state", "holder", "since", "remaining", "renewals",
						"reentries", "fencingToken", "grantToken", "waiting")
				.containsEntry("key", "shape")
				.containsEntry("name", "Shop.sell")
				.containsEntry("mode", "EXCLUSIVE")
				.containsEntry("state", "held")
				.containsEntry("holder", Thread.currentThread().getName())
				.containsEntry("waiting", 1);
			assertThat(Instant.parse((String) held.get("since"))).isAfterOrEqualTo(before.minusMillis(1));
			assertThat(Duration.parse((String) held.get("remaining"))).isPositive();
			assertThat(number(held, "fencingToken")).isEqualTo(lock.fencingToken());
			assertThat(list(local, "waiting").get(0)).containsKeys("key", "name", "mode", "since")
				.containsEntry("key", "shape");
			assertThat(map(local, "totals")).containsOnlyKeys("held", "waiting", "atRisk", "lost", "ended")
				.containsAllEntriesOf(Map.of("held", 1, "waiting", 1, "atRisk", 0, "lost", 0));
		}
		waiter.get(10, TimeUnit.SECONDS).close();
		Map<String, Object> hot = list(application.local(), "hotKeys").stream()
			.filter((key) -> "shape".equals(key.get("key")))
			.findFirst()
			.orElseThrow();
		assertThat(hot).containsOnlyKeys("key", "name", "holder", "waits", "waited", "error", "longest")
			.containsEntry("waits", 1)
			.containsEntry("error", "PT0S");
		assertThat(Duration.parse((String) hot.get("waited"))).isEqualTo(Duration.parse((String) hot.get("longest")));
	}

	@Test
	void theListsAreBoundedAndTheTotalsAreNot() throws Exception {
		List<HeldLock> locks = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			locks.add(application.registry().acquire(LockRequest.of("many-" + i)));
		}
		try {
			Map<String, Object> local = map(map(application.json("/actuator/distlocks?limit=20"), "registries"),
					"local");
			assertThat(list(local, "held")).extracting((lock) -> lock.get("key"))
				.containsExactlyElementsOf(IntStream.range(0, 20).mapToObj((i) -> "many-" + i).toList());
			assertThat(map(local, "totals")).containsEntry("held", 30);
			application.assertGet(400, "/actuator/distlocks?limit=-1");
			application.assertGet(400, "/actuator/distlocks?limit=many");
		}
		finally {
			locks.forEach(HeldLock::close);
		}
	}

	@Test
	void aKeyIsFoundByPathAndByParameter() throws Exception {
		try (HeldLock lock = application.registry().acquire(LockRequest.of("order/42"))) {
			Map<String, Object> body = application.json("/actuator/distlocks?key=order/42");
			assertThat(application.json("/actuator/distlocks/order/42?registry=local"))
				.containsOnlyKeys("key", "registry", "holders", "waiting")
				.containsEntry("key", "order/42")
				.containsEntry("registry", "local");
			assertThat(list(body, "holders")).singleElement().satisfies((holder) -> {
				assertThat(holder).containsKeys("id", "mode", "since", "ttl", "grantToken");
				assertThat(number(holder, "grantToken")).isEqualTo(lock.fencingToken());
			});
			await(() -> assertThat(list(application.json("/actuator/distlocks?key=order/42"), "holders").get(0))
				.containsEntry("application", "shop")
				.containsOnlyKeys("id", "application", "host", "pid", "mode", "since", "ttl", "grantToken"));
		}
	}

	@Test
	void thePermitsOfHoldersAndOfWaitingTicketsAreShown() throws Exception {
		try (HeldLock lock = application.registry().acquire(LockRequest.of("slots").permits(1))) {
			CompletableFuture<HeldLock> waiter = application.registry()
				.acquireAsync(LockRequest.of("slots").permits(2).waitTime(LockRequest.FOREVER));
			HeldLock second = waiter.get(10, TimeUnit.SECONDS);
			CompletableFuture<HeldLock> third = application.registry()
				.acquireAsync(LockRequest.of("slots").permits(2).waitTime(LockRequest.FOREVER));
			await(() -> assertThat(list(application.json("/actuator/distlocks/slots?registry=local"), "waiting"))
				.singleElement()
				.satisfies((ticket) -> assertThat(ticket).containsEntry("mode", "READ").containsEntry("permits", 2)));
			assertThat(list(application.json("/actuator/distlocks/slots?registry=local"), "holders"))
				.extracting((holder) -> holder.get("permits"))
				.containsExactlyInAnyOrder(1, 2);
			assertThat(list(application.local(), "held")).filteredOn((held) -> "slots".equals(held.get("key")))
				.extracting((held) -> held.get("permits"))
				.containsExactlyInAnyOrder(1, 2);
			second.close();
			third.get(10, TimeUnit.SECONDS).close();
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void aFreeLockAndAnUnknownRegistryAreNotFound() throws Exception {
		application.assertGet(404, "/actuator/distlocks/free")
			.isEqualTo("{\"key\":\"free\",\"registry\":\"local\",\"holders\":[],\"waiting\":[]}");
		application.assertGet(404, "/actuator/distlocks/free?registry=redis").contains("local");
		application.assertGet(400, "/actuator/distlocks?key=%20");
	}

	@Test
	void aReleaseEndsExactlyTheGrantThatTheOperatorHasSeen() throws Exception {
		HeldLock lock = application.registry().acquire(LockRequest.of("stuck").name("Shop.stuck"));
		CompletableFuture<HeldLock> waiter = application.acquireElsewhere("stuck");
		await(() -> assertThat(list(application.local(), "waiting"))
			.anySatisfy((caller) -> assertThat(caller).containsEntry("key", "stuck")));
		long token = application.grantToken("stuck");
		application.assertDelete(409, "/actuator/distlocks/stuck?token=" + (token + 1));
		assertThat(lock.isHeld()).isTrue();
		application.assertDelete(400, "/actuator/distlocks/stuck");
		application.assertDelete(400, "/actuator/distlocks/stuck?token=x");
		application.assertDelete(204, "/actuator/distlocks/stuck?token=" + token).isEmpty();
		HeldLock next = waiter.get(10, TimeUnit.SECONDS);
		assertThat(next.fencingToken()).isGreaterThan(token);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.satisfies((ex) -> assertThat(ex.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR));
		next.close();
		application.assertDelete(404, "/actuator/distlocks/stuck?token=" + token);
		// Another thread counts.
		await(() -> {
			assertThat(list(application.local(), "recent")).filteredOn((event) -> "stuck".equals(event.get("key")))
				.extracting((event) -> event.get("event"), (event) -> event.get("fencingToken"),
						(event) -> event.get("lossCause"))
				.containsExactlyInAnyOrder(tuple("released", token, null),
						tuple("lost", lock.fencingToken(), "RELEASED_BY_OPERATOR"));
			assertThat(map(application.local(), "totals")).containsEntry("lost", 0).containsEntry("ended", 1);
		});
		assertThat(application.audit()).filteredOn((event) -> "stuck".equals(event.getData().get("key")))
			.extracting(AuditEvent::getType)
			.containsExactly("DISTLOCK_RELEASE_REFUSED", "DISTLOCK_RELEASE_REFUSED", "DISTLOCK_RELEASED",
					"DISTLOCK_RELEASE_REFUSED");
	}

	static void await(org.awaitility.core.ThrowingRunnable assertion) {
		Awaitility.await().untilAsserted(assertion);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aRequestCannotForgeALineOfTheLog(CapturedOutput output) throws Exception {
		String forged = "x%0d%0aWARN%20forged%c2%85forged%e2%80%a8forged";
		for (String request : List.of("?key=" + forged + "&token=1", "?key=a&token=1&registry=" + forged,
				"?key=" + forged)) {
			assertThat(application.delete("/actuator/distlocks" + request).body()).doesNotContain("\n", "\\r", "\\n",
					"\u0085", "\u2028");
		}
		application.assertGet(400, "/actuator/distlocks?key=" + forged)
			.contains("'x??WARN forged?forged?forged' contains a control character");
		assertThat(flushed(output).getOut().lines().filter((line) -> line.contains("forged")))
			.allMatch(
					(line) -> line.contains("asked to release locks") && line.contains("x??WARN forged?forged?forged"))
			.hasSize(3);
		assertThat(application.audit())
			.noneMatch((event) -> event.getData().toString().chars().anyMatch(Character::isISOControl));
	}

}
