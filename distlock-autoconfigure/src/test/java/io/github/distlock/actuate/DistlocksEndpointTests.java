package io.github.distlock.actuate;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.contract.ForwardingBackend;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;

import static io.github.distlock.actuate.EndpointApplication.list;
import static io.github.distlock.actuate.EndpointApplication.map;
import static io.github.distlock.actuate.EndpointApplication.number;
import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The endpoint {@code distlocks} of an application whose operators may see and end
 * everything, and the endpoint and the health of an application with two stores, of which
 * one can fail. Which requests get the page, and what the file contains: a browser shows
 * it in {@code LocksPageTests} of the sample.
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

	private static final String MESSAGE = "Memory at nowhere:1 does not answer: check whether it runs";

	@AutoClose
	private static final EndpointApplication twoStores = EndpointApplication.start(
			new Class<?>[] { EndpointApplication.Program.class, SecondStore.class }, "distlock.local.enabled=true",
			"management.endpoint.distlocks.access=unrestricted", "management.endpoint.distlocks.show-values=always",
			"management.endpoint.health.show-details=always", "management.endpoint.health.probes.enabled=true");

	@AfterEach
	void repair() {
		SecondStore.failure.set(null);
	}

	private static LockRegistry registry(String name) {
		return twoStores.bean(name, LockRegistry.class);
	}

	@Test
	void aKeyOfOneStoreNeedsNoNameOfARegistry() throws Exception {
		HeldLock lock = registry("distlockSecondLockRegistry").acquire(LockRequest.of("one"));
		assertThat(twoStores.json("/actuator/distlocks/one")).containsEntry("registry", "second");
		twoStores.assertDelete(204, "/actuator/distlocks/one?token=" + lock.fencingToken());
		twoStores.assertGet(404, "/actuator/distlocks/one");
		twoStores.assertDelete(404, "/actuator/distlocks/one?token=" + lock.fencingToken());
		await(() -> assertThat(lock.isHeld()).isFalse());
	}

	@Test
	void aKeyOfTwoStoresIsAmbiguousUntilTheRegistryIsNamed() throws Exception {
		try (HeldLock first = registry("distlockLocalLockRegistry").acquire(LockRequest.of("two"));
				HeldLock second = registry("distlockSecondLockRegistry").acquire(LockRequest.of("two"))) {
			twoStores.assertGet(400, "/actuator/distlocks/two").contains("local, second");
			twoStores.assertDelete(400, "/actuator/distlocks/two?token=" + first.fencingToken());
			twoStores.assertGet(200, "/actuator/distlocks/two?registry=second");
			assertThat(first.isHeld()).isTrue();
			assertThat(second.isHeld()).isTrue();
		}
	}

	@Test
	void aStoreThatDoesNotAnswerIsUnavailableAndTheRestIsShown() throws Exception {
		try (HeldLock lock = registry("distlockSecondLockRegistry").acquire(LockRequest.of("unavailable"))) {
			SecondStore.failure.set(new LockBackendException(MESSAGE));
			twoStores.assertGet(503, "/actuator/distlocks/unavailable?registry=second").contains(MESSAGE);
			twoStores.assertDelete(503, "/actuator/distlocks/unavailable?registry=second&token=1");
			var registries = map(twoStores.json("/actuator/distlocks"), "registries");
			assertThat(registries).containsOnlyKeys("local", "second");
			assertThat(list(map(registries, "second"), "held")).hasSize(1);
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void ifAStoreDoesNotAnswerTheRegistryOfAnotherCanBeNamed() throws Exception {
		SecondStore.failure.set(new LockBackendException(MESSAGE));
		try (HeldLock lock = registry("distlockLocalLockRegistry").acquire(LockRequest.of("found"))) {
			twoStores.assertGet(503, "/actuator/distlocks/found");
			twoStores.assertGet(200, "/actuator/distlocks/found?registry=local");
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void aRequestWhoseOutcomeIsNotKnownIsAuditedToo() throws Exception {
		for (RuntimeException failure : new RuntimeException[] { new LockBackendException(MESSAGE),
				new IllegalStateException("a defect") }) {
			SecondStore.failure.set(failure);
			twoStores.delete("/actuator/distlocks?key=not-known&registry=second&token=1");
		}
		assertThat(twoStores.audit()).filteredOn((event) -> "not-known".equals(event.getData().get("key")))
			.extracting((event) -> event.getData().get("refusal"))
			.containsExactly(MESSAGE, "failed");
	}

	@Test
	void whatAStoreCannotDoIsNotImplementedAndTheAnswerSaysWhatToDoInstead() throws Exception {
		String remedy = "End the session in the database: SELECT pg_terminate_backend(4711)";
		try (HeldLock lock = registry("distlockSecondLockRegistry").acquire(LockRequest.of("unsupported"))) {
			SecondStore.failure.set(new UnsupportedOperationException(remedy));
			twoStores.assertDelete(501, "/actuator/distlocks/unsupported?registry=second&token=" + lock.fencingToken())
				.isEqualTo("{\"message\":\"" + remedy + "\"}");
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void healthHasAnEntryForEachStore() throws Exception {
		var components = map(twoStores.json("/actuator/health/distlock"), "components");
		assertThat(components).containsOnlyKeys("local", "second");
		assertThat(map(components, "local")).containsEntry("status", "UP");
		assertThat(map(map(components, "local"), "details")).containsOnlyKeys("location", "watchdogLateness", "held",
				"waiting", "roundTrip");
	}

	@Test
	void aStoreThatDoesNotAnswerIsDownAndHealthSaysWhatToDo() throws Exception {
		SecondStore.failure.set(new LockBackendException(MESSAGE));
		twoStores.assertGet(503, "/actuator/health/distlock/second")
			.contains("\"status\":\"DOWN\"", MESSAGE, "\"location\"", "\"held\":0")
			.doesNotContain("roundTrip");
		twoStores.assertGet(200, "/actuator/health/distlock/local");
		twoStores.assertGet(503, "/actuator/health");
	}

	@Test
	void aStoreThatDoesNotAnswerDoesNotEndTheApplication() throws Exception {
		SecondStore.failure.set(new LockBackendException(MESSAGE));
		twoStores.assertGet(200, "/actuator/health/liveness").contains("\"status\":\"UP\"").doesNotContain("distlock");
		twoStores.assertGet(404, "/actuator/health/liveness/distlock");
		twoStores.assertGet(200, "/actuator/health/readiness");
	}

	/**
	 * A store of the application, beside the local one: a memory of its own, whose
	 * commands for operators fail when a test says so, or which has none.
	 */
	@Configuration(proxyBeanMethods = false)
	static class SecondStore {

		/** The failure of each command for operators. */
		static final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

		@Bean
		@Qualifier("second")
		LockBackend secondLockBackend() {
			return new FailingBackend();
		}

		private static void fail() {
			RuntimeException current = failure.get();
			if (current != null) {
				throw current;
			}
		}

		private static final class FailingBackend extends ForwardingBackend {

			FailingBackend() {
				super(new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM));
			}

			@Override
			public BackendDescription description() {
				BackendDescription real = super.description();
				return new BackendDescription("second", real.modes(), real.fair(), real.expires(),
						real.tokensPerGrant(), real.commandTimeout(), real.batchSize(), real.permits());
			}

			@Override
			public LockStore open(StoreContext context) {
				return new FailingStore(super.open(context));
			}

		}

		private static final class FailingStore extends ForwardingBackend.ForwardingStore {

			FailingStore(LockStore real) {
				super(real);
			}

			@Override
			public void ping() {
				fail();
				super.ping();
			}

			@Override
			public StoreInspection inspection() {
				StoreInspection real = Objects.requireNonNull(super.inspection());
				return new StoreInspection() {

					@Override
					public StoredLock inspect(String key) {
						fail();
						return real.inspect(key);
					}

					@Override
					public EndResult end(String key, long grantToken) {
						fail();
						return real.end(key, grantToken);
					}

				};
			}

		}

	}

	private static final String PATH = "/actuator/distlocks";

	/** Of Chrome, Firefox and Safari. */
	private static final List<String> BROWSERS = List.of(
			"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
			"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");

	private static final String V2 = "application/vnd.spring-boot.actuator.v2+json";

	private static final String V3 = "application/vnd.spring-boot.actuator.v3+json";

	/** Accept headers that get JSON, and its media type. */
	private static final String[][] PROGRAMS = { { "", V3 }, { "*/*", V3 }, { V3, V3 }, { V2, V2 },
			{ "application/json", "application/json" }, { "application/*", V3 },
			{ "application/json, text/plain, */*", "application/json" },
			{ "application/json, text/html;q=0.9", "application/json" },
			{ "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", V3 },
			{ "text/html, image/gif, image/jpeg, */*; q=0.2", V3 } };

	@ParameterizedTest
	@EnumSource
	void aBrowserGetsThePageAndAProgramGetsTheJsonThatItGetsWithoutAPage(Web web) throws Exception {
		try (EndpointApplication with = web.start(EndpointApplication.OPEN);
				EndpointApplication without = web.start("distlock.endpoint.page=false",
						"management.endpoint.distlocks.access=unrestricted",
						"management.endpoint.distlocks.show-values=always")) {
			for (String accepted : BROWSERS) {
				assertPage(with.send("GET", PATH, "Accept", accepted), accepted);
			}
			for (String[] program : PROGRAMS) {
				String[] headers = program[0].isEmpty() ? new String[0] : new String[] { "Accept", program[0] };
				HttpResponse<String> json = with.send("GET", PATH, headers);
				assertThat(json.headers().map()).as(program[0])
					.containsEntry("Content-Type", List.of(program[1]))
					.containsOnlyKeys(without.send("GET", PATH, headers).headers().map().keySet());
				assertThat(withoutInstance(json)).as(program[0])
					.isEqualTo(withoutInstance(without.send("GET", PATH, headers)));
			}
			try (InputStream json = URI.create(with.url() + PATH).toURL().openStream()) {
				assertThat(json).asString(StandardCharsets.UTF_8).startsWith("{");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoints.web.base-path=/ops", "management.endpoints.web.base-path=/" })
	void thePageHasTheAddressOfTheEndpoint(String property) throws Exception {
		String path = property.endsWith("/") ? "/distlocks" : "/ops/distlocks";
		try (EndpointApplication application = EndpointApplication.start(property, "management.server.port=0")) {
			assertPage(application.send("GET", path, "Accept", BROWSERS.get(0)), path);
			assertThat(application.get(path).body()).startsWith("{");
		}
	}

	@ParameterizedTest
	@EnumSource
	void withoutThePageABrowserGetsTheJson(Web web) throws Exception {
		try (EndpointApplication application = web.start("distlock.endpoint.page=false")) {
			assertThat(application.send("GET", PATH, "Accept", "text/html").statusCode()).isEqualTo(406);
			assertThat(application.send("GET", PATH, "Accept", BROWSERS.get(0)).body()).startsWith("{");
		}
	}

	@Test
	void itNamesEachCauseOfALossAndEachMode() throws Exception {
		assertThat(page()).contains(Stream.concat(Arrays.stream(LossCause.values()), Arrays.stream(LockMode.values()))
			.map((constant) -> constant + ": ['")
			.toList());
	}

	@Test
	void itsPolicyAllowsItsOwnScriptAndStyleAndNoOther() throws Exception {
		String page = page();
		String policy = only(page, "http-equiv=\"Content-Security-Policy\"[^>]*content=\"([^\"]*)\"");
		assertThat(policy).contains("default-src 'none'")
			.contains("script-src '" + hash(only(page, "(?s)<script>(.*?)</script>")) + "'")
			.contains("style-src '" + hash(only(page, "(?s)<style>(.*?)</style>")) + "'")
			.doesNotContain("unsafe");
		assertThat(page).doesNotContain("innerHTML").doesNotContainPattern("(src|href)=\"(?!data:)");
	}

	private static String only(String page, String pattern) {
		List<String> found = Pattern.compile(pattern).matcher(page).results().map((match) -> match.group(1)).toList();
		assertThat(found).as(pattern).hasSize(1);
		return found.get(0);
	}

	private static String hash(String text) throws Exception {
		byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
		return "sha256-" + Base64.getEncoder().encodeToString(digest);
	}

	/** Two applications differ in the id of their instance. */
	private static String withoutInstance(HttpResponse<String> response) {
		assertThat(response.statusCode()).isEqualTo(200);
		return response.body().replaceFirst("\"id\":\"[^\"]+\"", "");
	}

	private static void assertPage(HttpResponse<String> response, String accepted) throws Exception {
		assertThat(response.statusCode()).as(accepted).isEqualTo(200);
		assertThat(response.headers().firstValue("Content-Type").orElse("").replace(" ", "")).as(accepted)
			.isEqualToIgnoringCase("text/html;charset=UTF-8");
		assertThat(response.body()).as(accepted).isEqualTo(page());
	}

	private static String page() throws Exception {
		return new ClassPathResource(DistlocksPage.FILE).getContentAsString(StandardCharsets.UTF_8);
	}

	enum Web {

		MVC, WEBFLUX;

		EndpointApplication start(String... properties) {
			return EndpointApplication.start(switch (this) {
				case MVC -> new SpringApplicationBuilder(EndpointApplication.Program.class);
				case WEBFLUX ->
					new SpringApplicationBuilder(EndpointApplication.Program.class).web(WebApplicationType.REACTIVE);
			}, properties);
		}

	}

}
