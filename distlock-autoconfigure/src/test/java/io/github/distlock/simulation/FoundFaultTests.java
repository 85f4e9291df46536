package io.github.distlock.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.simulation.Fault.Kind;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Faults of the engine that seeds have found, each as a history as short as possible. */
class FoundFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final LockRequest KEY = LockRequest.of("k0");

	private final RecordedEvents events = new RecordedEvents();

	private final World world = new World(
			new Plan(1, 1, 1, 1, 1, LEASE, 4, Duration.ofMillis(5), Integer.MAX_VALUE, false, Duration.ofSeconds(20),
					Duration.ofMillis(300), 100_000, true, 0, 0, false, List.of()),
			false, ServerScript::new, PromiseFlaw.NONE);

	private final SimulatedJvm jvm = new SimulatedJvm(this.world, "A", 1, 0);

	private final SimulatedJvm other = new SimulatedJvm(this.world, "B", 2, 0);

	private final BackendLockRegistry registry = registry(this.jvm);

	private final BackendLockRegistry otherRegistry = registry(this.other);

	private BackendLockRegistry registry(SimulatedJvm place) {
		return new BackendLockRegistry(SimulatedStore.backend(this.world, place),
				TestSettings.of(Duration.ofMinutes(1), LEASE, null, new HandOffLimits(4, Duration.ofMillis(5)),
						Duration.ofSeconds(20), false, Duration.ofSeconds(1)),
				() -> List.of(this.events), (EngineEnvironment) place, LockObservers.NONE);
	}

	@Test
	void aReleaseIsRepeatedForTheLeaseOfAnEarlierCallerOfItsTicket() {
		live(() -> {
			fault(Kind.LOSE_REPLIES, 0);
			in(this.jvm, () -> assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> this.registry.acquire(KEY.leaseTime(LEASE).waitTime(Duration.ZERO))));
			sleep(Duration.ofMillis(1));
			// It gets the ticket of the first caller, and with that the first lease.
			HeldLock lock = this.registry.acquire(KEY.leaseTime(Duration.ofMillis(200)));
			fault(Kind.RESTART_SERVER, 2000);
			lock.close();
			sleep(Duration.ofSeconds(8));
			assertThat(isOwned()).isFalse();
		});
	}

	@Test
	void aReleaseIsRepeatedForItsLeaseAfterTheWallClockWasSetForward() {
		live(() -> {
			HeldLock lock = this.registry.acquire(KEY.leaseTime(LEASE));
			fault(Kind.RESTART_SERVER, 10_000);
			this.jvm.stepWallClock(60_000);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			sleep(Duration.ofSeconds(15));
			assertThat(isOwned()).isFalse();
		});
	}

	@Test
	void aReleaseIsRepeatedForTheLeaseOfARenewalWithoutAnAnswer() {
		live(() -> {
			HeldLock lock = this.registry.acquire(KEY);
			sleep(Duration.ofMillis(9900));
			fault(Kind.LOSE_REPLIES, 0);
			sleep(Duration.ofMillis(200));
			// The renewal has come to the server, which is away until the lease has
			// passed that the holder knows of.
			fault(Kind.RESTART_SERVER, 21_000);
			lock.close();
			sleep(Duration.ofSeconds(26));
			assertThat(isOwned()).isFalse();
		});
	}

	@Test
	void aMinimumHoldTimeIsLongerThanTheGraceOfAMessageAlthoughItsJvmEnds() {
		live(() -> {
			HeldLock lock = this.registry.acquire(KEY);
			in(this.other, () -> this.otherRegistry.acquire(KEY.fair(true).minHold(Duration.ofSeconds(12))).close());
			sleep(Duration.ofSeconds(1));
			lock.close();
			sleep(Duration.ofSeconds(1));
			this.other.crashed = true;
			this.world.network.crashed(this.other);
			sleep(Duration.ofSeconds(8));
			assertThat(isOwned()).isTrue();
			sleep(Duration.ofSeconds(8));
			assertThat(isOwned()).isFalse();
		});
	}

	@Test
	void theTimerOfLeasesIsSetAgainAlthoughItAndItsRepetitionWereRefused() {
		live(() -> {
			boolean[] entered = new boolean[1];
			HeldLock renewed = this.registry.acquire(LockRequest.of("other"));
			this.registry.acquire(KEY.minHold(Duration.ofSeconds(15))).close();
			sleep(Duration.ofMillis(5500));
			in(this.jvm, () -> {
				this.registry.acquire(KEY).close();
				entered[0] = true;
			});
			sleep(Duration.ofMillis(4300));
			// The renewal after ten seconds, its timer, and the task that sets it again.
			this.jvm.refusals = 3;
			sleep(Duration.ofSeconds(20));
			assertThat(this.jvm.refusals).isZero();
			assertThat(entered).containsExactly(true);
			renewed.close();
		});
	}

	@Test
	void aLossByASuspensionIsReportedWithinASecondAlthoughNoRenewalIsDue() {
		live(() -> {
			this.registry.acquire(KEY);
			sleep(Duration.ofMillis(1500));
			this.jvm.stepWallClock(LEASE.toMillis());
			sleep(Duration.ofMillis(1100));
			assertThat(this.events.losses).hasSize(1);
		});
	}

	@ParameterizedTest
	@ValueSource(longs = { 500, 2000 })
	void theSecondCancelOfATicketIsRepeatedIfTheStoreDoesNotAnswer(long outage) {
		live(() -> {
			fault(Kind.LATE_REQUESTS, 1000);
			this.registry.acquire(KEY.leaseTime(LEASE)).close();
			sleep(Duration.ofMillis(250));
			// By a late copy of its first attempt, after its release.
			assertThat(isOwned()).isTrue();
			fault(Kind.PARTITION, outage);
			sleep(Duration.ofMillis(outage).plusSeconds(5));
			assertThat(isOwned()).isFalse();
		});
	}

	@Test
	void aCommandIsSentAlthoughAnErrorPreventsATimerThatBelongsToIt() {
		live(() -> {
			AtomicBoolean entered = new AtomicBoolean();
			fault(Kind.LATE_REQUESTS, 1000);
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> this.registry.acquire(KEY.waitTime(Duration.ZERO)));
			// The timer of the second cancel, which is set before the next attempt.
			this.jvm.refusals = 2;
			in(this.jvm, () -> {
				this.registry.acquire(KEY).close();
				entered.set(true);
			});
			sleep(Duration.ofSeconds(5));
			assertThat(this.jvm.refusals).isLessThan(2);
			assertThat(entered).isTrue();
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void aCallbackThatBlocksNeverRunsOnTheThreadOfTheDriver(int refusals) {
		live(() -> {
			AtomicBoolean released = new AtomicBoolean();
			HeldLock[] blocking = new HeldLock[1];
			in(this.other, () -> blocking[0] = this.otherRegistry.acquire(KEY));
			sleep(Duration.ofMillis(100));
			this.registry.acquireAsync(KEY).thenAccept((lock) -> {
				lock.close();
				released.set(true);
			});
			sleep(Duration.ofMillis(100));
			in(this.other, blocking[0]::close);
			this.jvm.refusals = refusals;
			sleep(Duration.ofSeconds(8));
			assertThat(this.jvm.refusals).isZero();
			assertThat(released).isTrue();
			assertThat(isOwned()).isFalse();
		});
	}

	@Test
	void aCallbackThatWasRefusedRunsAlthoughTheRegistryIsShutDown() {
		live(() -> {
			AtomicBoolean completed = new AtomicBoolean();
			in(this.other, () -> this.otherRegistry.acquire(KEY));
			sleep(Duration.ofMillis(100));
			this.registry.acquireAsync(KEY).whenComplete((lock, failure) -> completed.set(true));
			sleep(Duration.ofMillis(100));
			this.jvm.refusals = 1;
			this.registry.shutdown();
			assertThat(this.jvm.refusals).isZero();
			sleep(Duration.ofSeconds(1));
			assertThat(completed).isTrue();
		});
	}

	private boolean isOwned() {
		return this.world.network.server.stored("k0").owner != null;
	}

	private void in(SimulatedJvm place, Runnable task) {
		this.world.scheduler.start(place + "/caller", place, task);
	}

	private void fault(Kind kind, long millis) {
		this.world.network.begin(new Fault(0, 0, kind, 0, millis * 1_000_000, 1), this.jvm);
	}

	private void sleep(Duration time) {
		this.world.scheduler.sleep(time.toNanos());
	}

	private void live(Runnable history) {
		boolean[] over = new boolean[1];
		in(this.other, this.otherRegistry::start);
		in(this.jvm, () -> {
			this.registry.start();
			// Until the inboxes are confirmed.
			sleep(Duration.ofSeconds(1));
			history.run();
			over[0] = true;
			this.world.scheduler.stop();
			sleep(Duration.ZERO);
		});
		this.world.scheduler.run();
		assertThat(this.world.violations).isEmpty();
		assertThat(over).containsExactly(true);
	}

}
