package io.github.distlock.registry;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RedisNodes;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.util.function.ThrowingSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * The events in a recording of the JDK Flight Recorder, on a real server, as they are by
 * default, with waits of any length. Their classes are loaded before it starts.
 */
class LockRecordingTests extends TwoRegistries {

	@AutoClose
	private final Recording recording = new Recording();

	@BeforeEach
	void startRecording() {
		this.one.acquire(request("before")).close();
		this.recording.enable("distlock.Wait").withoutThreshold();
		this.recording.start();
	}

	/** Return the events of a lock so far, in the order in which they were written. */
	private List<RecordedEvent> events(String label) {
		return ThrowingSupplier.of(() -> {
			Path file = Files.createTempFile("distlock", ".jfr");
			try {
				this.recording.dump(file);
				return RecordingFile.readAllEvents(file)
					.stream()
					.filter((event) -> event.getEventType().getName().startsWith("distlock."))
					.filter((event) -> event.getString("label").equals(label))
					.sorted(Comparator.comparing(RecordedEvent::getEndTime))
					.toList();
			}
			finally {
				Files.delete(file);
			}
		}).get();
	}

	private List<RecordedEvent> events(String label, String name) {
		return events(label).stream()
			.filter((event) -> event.getEventType().getName().equals("distlock." + name))
			.toList();
	}

	@Test
	void aGrantAndItsEndHaveWhatAComparisonOfRecordingsNeeds() {
		long before = micros();
		long nanosBefore = System.nanoTime();
		long token;
		try (HeldLock lock = this.one.acquire(request("l").name("stock"))) {
			token = lock.fencingToken();
		}
		long after = micros() + 1000;
		List<RecordedEvent> events = events("stock");
		assertThat(events).extracting((event) -> event.getEventType().getName())
			.containsExactly("distlock.Grant", "distlock.GrantEnd");
		RecordedEvent grant = events.get(0);
		RecordedEvent end = events.get(1);
		assertThat(events).allSatisfy((event) -> {
			assertThat(event.getString("registry")).isEqualTo("redis");
			assertThat(event.getString("keyHash")).isEqualTo("%016x".formatted(LockKeys.number("redis", "l")));
			assertThat(event.getString("key")).isNull();
			assertThat(event.getString("mode")).isEqualTo("EXCLUSIVE");
			assertThat(event.getInt("permits")).isZero();
			assertThat(event.getLong("token")).isEqualTo(token);
			assertThat(event.getLong("grantToken")).isEqualTo(token);
			assertThat(event.getLong("hold")).isEqualTo(grant.getLong("hold"));
			assertThat(event.getString("instance")).isEqualTo(this.one.snapshot().instance().id());
		});
		assertThat(grant.getBoolean("firstToken")).isTrue();
		// The server is on this machine.
		assertThat(token).isBetween(before, after);
		assertThat(List.of(nanosBefore, grant.getLong("askedNanos"), grant.getLong("answeredNanos"),
				end.getLong("atNanos"), grant.getLong("validUntilNanos")))
			.isSorted();
		assertThat(grant.getLong("validUntilNanos") - grant.getLong("askedNanos"))
			.isLessThan(Duration.ofSeconds(31).toNanos());
		assertThat(end.getString("outcome")).isEqualTo("released");
		assertThat(end.getString("cause")).isNull();
	}

	@Test
	void aHandOffInsideTheJvmIsAGrantThatCarriesNoTime() throws Exception {
		BackendLockRegistry node = redis.node(
				RedisNodes.settings(Duration.ofSeconds(60), new HandOffLimits(500, Duration.ofSeconds(60))),
				List.of(this.events));
		HeldLock first = node.acquire(request("l").name("stock"));
		Future<?> second = this.threads.submit(() -> node.acquire(request("l").name("stock")).close());
		await().until(() -> !node.snapshot().waiting().isEmpty());
		first.close();
		second.get(60, TimeUnit.SECONDS);
		List<RecordedEvent> grants = events("stock", "Grant");
		assertThat(grants).extracting((event) -> event.getLong("token"))
			.containsExactly(first.fencingToken(), first.fencingToken() + 1);
		assertThat(grants).extracting((event) -> event.getLong("grantToken")).containsOnly(first.fencingToken());
		assertThat(grants).extracting((event) -> event.getBoolean("firstToken")).containsExactly(true, false);
		assertThat(grants).extracting((event) -> event.getLong("hold")).doesNotHaveDuplicates();
		List<RecordedEvent> ends = events("stock", "GrantEnd");
		assertThat(ends.get(0).getLong("atNanos")).isLessThanOrEqualTo(grants.get(1).getLong("answeredNanos"));
		assertThat(events("stock", "Wait"))
			.extracting((event) -> event.getString("outcome"), (event) -> event.getLong("token"))
			.containsExactly(tuple("ACQUIRED", first.fencingToken() + 1));
	}

	@Test
	void aGrantByMessageCarriesNoTime() throws Exception {
		HeldLock first = this.one.acquire(request("l").name("stock"));
		Future<?> second = this.threads.submit(() -> this.two.acquire(request("l").name("stock")).close());
		await().until(() -> redis.queueLength("l") > 0);
		first.close();
		second.get(60, TimeUnit.SECONDS);
		assertThat(events("stock", "Grant")).extracting((event) -> event.getBoolean("firstToken"))
			.containsExactly(true, false);
	}

	@Test
	void aGrantThatIsRepeatedOrComesWithAReleaseCarriesNoTime() {
		LockStore store = this.one.store();
		Duration lease = Duration.ofSeconds(60);
		Ticket ticket = new Ticket("l", LockMode.EXCLUSIVE, this.one.snapshot().instance().text(), 1000, false);
		Ticket next = new Ticket("l", LockMode.EXCLUSIVE, ticket.instance(), 1001, false);
		Grant first = (Grant) store.attempt(ticket, lease, true).toCompletableFuture().join();
		Grant repeated = (Grant) store.attempt(ticket, lease, true).toCompletableFuture().join();
		Grant following = (Grant) store.release(ticket, first.lastToken(), new Successor(next, lease))
			.toCompletableFuture()
			.join()
			.next();
		assertThat(repeated.firstToken()).isEqualTo(first.firstToken());
		assertThat(List.of(first.timed(), repeated.timed(), following.timed())).containsExactly(true, false, false);
	}

	@Test
	void aWaitWithoutSuccessHasNoToken() throws Exception {
		try (HeldLock lock = this.one.acquire(request("l"))) {
			Future<?> waiting = this.threads.submit(() -> this.two.acquire(request("l").name("stock")));
			await().until(() -> !this.two.snapshot().waiting().isEmpty());
			waiting.cancel(true);
			await().until(() -> !events("stock").isEmpty());
		}
		RecordedEvent wait = events("stock").get(0);
		assertThat(wait.getEventType().getName()).isEqualTo("distlock.Wait");
		assertThat(wait.getString("outcome")).isEqualTo("INTERRUPTED");
		assertThat(wait.getLong("token")).isZero();
	}

	@Test
	void aRenewalExtendsTheValidityAndALossEndsTheGrant() {
		BackendLockRegistry node = redis.node(RedisNodes.settings(Duration.ofSeconds(6)), List.of(this.events));
		HeldLock lock = node.acquire(request("l").name("stock"));
		await().atMost(Duration.ofSeconds(60)).until(() -> node.snapshot().held().get(0).renewals() > 0);
		redis.flush();
		await().atMost(Duration.ofSeconds(60)).until(() -> !lock.isHeld());
		await().until(() -> !events("stock", "Loss").isEmpty());
		List<RecordedEvent> events = events("stock");
		RecordedEvent renewal = events.get(1);
		assertThat(renewal.getEventType().getName()).isEqualTo("distlock.Renewal");
		assertThat(renewal.getLong("askedNanos")).isGreaterThan(events.get(0).getLong("answeredNanos"));
		assertThat(renewal.getLong("validUntilNanos")).isGreaterThan(events.get(0).getLong("validUntilNanos"));
		assertThat(events).extracting((event) -> event.getLong("hold")).containsOnly(renewal.getLong("hold"));
		RecordedEvent end = events("stock", "GrantEnd").get(0);
		assertThat(end.getString("outcome")).isEqualTo("lost");
		assertThat(end.getString("cause")).isEqualTo("FORGOTTEN");
		assertThat(events("stock", "Loss")).extracting((event) -> event.getString("cause"))
			.containsExactly("FORGOTTEN");
	}

	@Test
	void aHolderThatNoticesTooLateHasHeldUntilThen() {
		ManualClock clock = new ManualClock();
		BackendLockRegistry node = new BackendLockRegistry(new LocalLockBackend(new LocalStore(clock), 501, clock),
				RedisNodes.settings(Duration.ofSeconds(60)), List.of(this.events), clock);
		node.start();
		HeldLock lock = node.acquire(request("l").name("stock"));
		clock.pass(Duration.ofSeconds(100));
		assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
		node.shutdown();
		RecordedEvent end = events("stock", "GrantEnd").get(0);
		assertThat(end.getString("outcome")).isEqualTo("lost");
		// The lease is shorter by its margin.
		assertThat(end.getLong("atNanos") - end.getLong("validUntilNanos")).isBetween(Duration.ofSeconds(40).toNanos(),
				Duration.ofSeconds(41).toNanos());
	}

	@Test
	void withoutTheModuleOfTheFlightRecorderLocksWork() {
		List<String> options = List.of("--limit-modules", "java.se,jdk.unsupported");
		try (ChildJvm child = ChildJvm.start(options, Child.class)) {
			assertThat(child.expect("recorder")).isEqualTo("false");
			assertThat(child.expect("outcome")).isEqualTo("ACQUIRED SKIPPED");
		}
	}

	private static long micros() {
		return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
	}

	/** Uses each place that writes an event. */
	static final class Child implements LockListener {

		private final List<String> outcomes = new ArrayList<>();

		@Override
		public void onAttempted(Attempted event) {
			this.outcomes.add(event.outcome().name());
		}

		public static void main(String[] args) {
			PrintStream out = System.out;
			out.println("started");
			out.println("recorder " + ModuleLayer.boot().findModule("jdk.jfr").isPresent());
			Child events = new Child();
			BackendLockRegistry registry = new BackendLockRegistry(
					new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 501, TimeSource.SYSTEM),
					RedisNodes.settings(Duration.ofSeconds(60)), List.of(events), TimeSource.SYSTEM);
			registry.start();
			try (HeldLock lock = registry.acquire(request("l"))) {
				CompletableFuture
					.runAsync(() -> registry.tryAcquire(LockRequest.of("l").waitTime(Duration.ofMillis(50))))
					.join();
			}
			registry.shutdown();
			out.println("outcome " + String.join(" ", events.outcomes));
		}

	}

}
