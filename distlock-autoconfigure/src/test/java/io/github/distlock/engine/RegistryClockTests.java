package io.github.distlock.engine;

import org.jspecify.annotations.Nullable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.engine.Waiter.FutureWaiter;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Registries and keys with a manual clock, whose tasks run when a test says. No thread
 * may park. The store of the keys grants nothing before a message: what one caller of a
 * key learns, the others know.
 */
class RegistryClockTests implements LockListener {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final LeaseTerms TERMS = RenewalScenario.watched(Duration.ofMillis(100));

	private static final LockRequest KEY = LockRequest.of("key");

	private final ManualClock clock = new ManualClock();

	private final ManualTimers timers = new ManualTimers(this.clock);

	private final Deque<Runnable> tasks = new ArrayDeque<>();

	private final LocalStore local = new LocalStore(this.clock);

	private final BackendLockRegistry one = registry(new LocalLockBackend(this.local, 17, this.clock), List.of(this));

	private final BackendLockRegistry two = registry(new LocalLockBackend(this.local, 17, this.clock), List.of());

	private final Store store = new Store();

	private final KeyTable keys = RenewalScenario.keys(this.store, this.clock,
			RenewalScenario.threads(this.tasks::add, this.timers));

	private final HeldLocks heldLocks = RenewalScenario.heldLocks(this.store, this.clock, this.timers);

	private Runnable whenWaiting = () -> {
	};

	private BackendLockRegistry registry(LockBackend backend, List<LockListener> listeners) {
		BackendLockRegistry registry = new BackendLockRegistry(backend, RedisNodes.settings(LEASE), () -> listeners,
				new ManualEnvironment(), LockObservers.NONE);
		registry.start();
		return registry;
	}

	@AfterEach
	void stop() {
		this.one.shutdown();
		this.two.shutdown();
	}

	@Override
	public void onWaiting(Waiting event) {
		this.whenWaiting.run();
	}

	private void runTasks() {
		while (!this.tasks.isEmpty()) {
			this.tasks.remove().run();
		}
	}

	@Test
	void aGrantThatExpiresBeforeItsCallerTakesItIsGivenBackAndTheCallerAttemptsAgain() {
		HeldLock before = this.two.acquire(KEY);
		this.whenWaiting = () -> {
			before.close();
			this.clock.pass(LEASE);
		};
		try (HeldLock lock = this.one.acquire(KEY.waitTime(LEASE.multipliedBy(2)))) {
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void afterAGrantThatHasExpiredACallerWaitsForTheRestOfItsWaitTime() {
		HeldLock before = this.two.acquire(KEY);
		this.whenWaiting = () -> passOn(before);
		assertThat(this.one.tryAcquire(KEY.waitTime(LEASE))).isEqualTo(Optional.empty());
	}

	@Test
	void soDoesAFuture() {
		HeldLock before = this.two.acquire(KEY);
		CompletableFuture<Optional<HeldLock>> waiting = this.one.tryAcquireAsync(KEY.waitTime(LEASE));
		passOn(before);
		runTasks();
		this.timers.pass(Duration.ZERO);
		runTasks();
		assertThat(waiting).isCompletedWithValue(Optional.empty());
	}

	/** The next caller does not run before its lease has expired and others came. */
	private void passOn(HeldLock before) {
		before.close();
		this.clock.pass(LEASE.plusSeconds(1));
		this.two.acquire(KEY);
	}

	@Test
	void callbacksOfALossDoNotRunOnTheThreadOfTheTimer() {
		List<HeldLock> lost = new ArrayList<>();
		HeldLock lock = this.one.acquire(KEY.leaseTime(LEASE));
		lock.onLost(() -> lost.add(lock));
		this.timers.pass(LEASE);
		assertThat(lost).isEmpty();
		runTasks();
		assertThat(lost).containsExactly(lock);
	}

	@Test
	void fairCallersRetryInOrderAfterTheStoreHasForgottenTheirPlaces() {
		for (int i = 0; i < 3; i++) {
			fair();
		}
		this.store.queue.clear();
		this.store.sent.clear();
		this.keys.retry(ticket(1, true));
		this.timers.pass(Duration.ZERO);
		assertThat(this.store.sent).startsWith("attempt 1", "attempt 1", "attempt 2", "attempt 3");
	}

	@Test
	void fairCallersThatCouldNotBeQueuedRetryInTheOrderOfTheirArrival() {
		this.store.blocks = true;
		this.store.deaf = true;
		for (int i = 0; i < 4; i++) {
			fair();
		}
		List<String> inOrder = List.of("attempt 1", "attempt 2", "attempt 3", "attempt 4");
		runAll();
		assertThat(this.store.sent).isEqualTo(inOrder);
		this.store.sent.clear();
		// The inbox is connected now.
		this.keys.retryAll();
		runAll();
		assertThat(this.store.sent).isEqualTo(inOrder);
	}

	/** Several threads guarantee no order: here the last task runs first. */
	private void runAll() {
		while (!this.tasks.isEmpty()) {
			this.tasks.removeLast().run();
		}
	}

	@Test
	void anOutageThatOneFairCallerNoticesIsOneOfTheOthersToo() {
		fair();
		FutureWaiter second = waiter(true);
		KeyState state = this.keys.join(second, () -> {
		});
		FutureWaiter third = fair();
		this.store.failing = true;
		this.keys.retry(ticket(1, true));
		this.keys.giveUp(state, second, true);
		assertThat(second.outcome()).as("no time-out").isInstanceOf(WaitOutcome.Failure.class);
		assertThat(third.outcome()).isNull();
		this.timers.pass(Duration.ofSeconds(11));
		assertThat(third.outcome()).as("the outage lasts too long").isInstanceOf(WaitOutcome.Failure.class);
	}

	@Test
	void theReleaseOfALockWhoseLeaseIsOverIsRepeatedForAWhile() {
		FutureWaiter waiter = waiter(false);
		this.keys.join(waiter, () -> {
		});
		this.keys.granted(ticket(1, false), new Grant(1, 1, Validity.until(this.clock.now(), TERMS.lease())));
		this.store.failing = true;
		this.timers.pass(TERMS.lease());
		this.keys.releaseAsync((Hold) waiter.outcome());
		this.timers.pass(Duration.ofSeconds(4));
		this.store.sent.clear();
		this.store.failing = false;
		this.timers.pass(Duration.ofSeconds(1));
		assertThat(this.store.sent).containsExactly("release 1");
	}

	private FutureWaiter fair() {
		FutureWaiter waiter = waiter(true);
		this.keys.join(waiter, () -> {
		});
		return waiter;
	}

	private FutureWaiter waiter(boolean fair) {
		return new FutureWaiter(this.heldLocks, LockRequest.of("key").fair(fair), TERMS, Duration.ofHours(1),
				Integer.MAX_VALUE, this.clock.nanoTime(), Runnable::run);
	}

	private static Ticket ticket(int number, boolean fair) {
		return new Ticket("key", LockMode.EXCLUSIVE, "me", number, fair);
	}

	/** Queues all tickets. */
	private static final class Store extends IdleStore {

		private final List<String> sent = new ArrayList<>();

		private final Set<Ticket> queue = new HashSet<>();

		private boolean failing;

		private boolean blocks;

		/** Whether no inbox is connected. */
		private boolean deaf;

		@Override
		public boolean blocks() {
			return this.blocks;
		}

		private <T> CompletionStage<T> answer(String command, T answer) {
			this.sent.add(command);
			return this.failing ? CompletableFuture.failedFuture(new LockBackendException("no answer"))
					: CompletableFuture.completedFuture(answer);
		}

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			return answer("attempt " + ticket.number(),
					new AttemptResult.Queued(Duration.ofMinutes(1), !this.deaf && this.queue.add(ticket)));
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			return answer("release " + ticket.number(), new ReleaseResult(true, null));
		}

		@Override
		public CompletionStage<?> cancel(Ticket ticket) {
			return answer("cancel " + ticket.number(), true);
		}

	}

	private final class ManualEnvironment implements CheckedEnvironment {

		@Override
		public TimeSource clock() {
			return RegistryClockTests.this.clock;
		}

		@Override
		public EngineThreads newThreads() {
			return RenewalScenario.threads(RegistryClockTests.this.tasks::add, RegistryClockTests.this.timers);
		}

		@Override
		public void park(Object blocker, long nanos) {
			throw new AssertionError("A thread waits");
		}

	}

}
