package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.engine.Waiter.FutureWaiter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A store whose stages are complete when its verbs return: nothing that follows may nest
 * without a limit. A store whose inbox is not connected: fair callers keep their order.
 */
class KeyTableTests {

	private static final Duration LEASE = Duration.ofMinutes(5);

	private static final int MANY = 100_000;

	private final EngineThreads threads = EngineEnvironment.SYSTEM.newThreads();

	private final Map<KeyTable, HeldLocks> heldLocks = new ConcurrentHashMap<>();

	private final Deque<Runnable> lateTasks = new ArrayDeque<>();

	private final List<Long> asked = new ArrayList<>();

	private final KeyTable unheard = new KeyTable(new UnheardStore(), IdleStore.DESCRIPTION, "me",
			Duration.ofSeconds(10), TestSettings.NO_HAND_OFF, EngineEnvironment.of(new ManualClock()),
			new EngineThreads(new LateExecutor(), this.threads.renewals(), this.threads.callbacks(),
					this.threads.timers()));

	@AfterEach
	void stop() {
		this.threads.timers().shutdownNow();
		this.threads.commands().shutdownNow();
		this.threads.callbacks().shutdownNow();
	}

	private KeyTable table(LockStore store, HandOffLimits limits) {
		return new KeyTable(store, IdleStore.DESCRIPTION, "one", Duration.ofSeconds(5), limits,
				EngineEnvironment.SYSTEM, this.threads);
	}

	private KeyTable local(HandOffLimits limits) {
		KeyTableSignals signals = new KeyTableSignals();
		LockStore store = new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 501, TimeSource.SYSTEM)
			.open(new StoreContext(LockInstance.of("one"), signals));
		KeyTable keys = table(store, limits);
		signals.keys = keys;
		return keys;
	}

	private HeldLocks heldLocks(KeyTable keys) {
		return this.heldLocks.computeIfAbsent(keys,
				(one) -> new HeldLocks(new ScriptedStore(TimeSource.SYSTEM), IdleStore.DESCRIPTION, one,
						EngineEnvironment.SYSTEM, this.threads, new LockListeners(List::of), false, false,
						ThreadLocal.withInitial(HashMap::new)));
	}

	private CompletableFuture<Hold> acquire(KeyTable keys, boolean fair) {
		LockRequest request = LockRequest.of("key").fair(fair);
		FutureWaiter waiter = new FutureWaiter(heldLocks(keys), request, new LeaseTerms(LEASE, LEASE, true, null, null),
				Duration.ofMinutes(5), Integer.MAX_VALUE, System.nanoTime(), keys.tasks()::callBack);
		keys.join(waiter, () -> {
		});
		return waiter.future().thenApply((outcome) -> (Hold) outcome);
	}

	private static ReleaseOutcome leave(KeyTable keys, Hold hold) {
		hold.take();
		assertThat(hold.endLease()).isPositive();
		return keys.release(hold, LEASE.toNanos(), false, null);
	}

	private void acquireMany(KeyTable keys, boolean fair, int count) throws InterruptedException {
		CountDownLatch left = new CountDownLatch(count);
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		for (int i = 0; i < count; i++) {
			acquire(keys, fair).thenAccept((hold) -> {
				most.accumulateAndGet(inside.incrementAndGet(), Math::max);
				inside.decrementAndGet();
				leave(keys, hold);
				left.countDown();
			});
		}
		assertThat(left.await(5, TimeUnit.MINUTES)).as("left: %s", left).isTrue();
		assertThat(most).hasValue(1);
		assertThat(keys.snapshot()).isEmpty();
	}

	@Test
	void manyAsynchronousCallersOfOneKeyHandItOn() throws Exception {
		acquireMany(local(new HandOffLimits(500, Duration.ofSeconds(1))), false, MANY);
	}

	@Test
	void manyAsynchronousCallersOfOneKeyGetItFromTheStore() throws Exception {
		acquireMany(local(TestSettings.NO_HAND_OFF), false, MANY);
	}

	@Test
	void manyFairCallersOfOneKeyAreGrantedItByTheStore() throws Exception {
		acquireMany(local(TestSettings.NO_HAND_OFF), true, MANY / 10);
	}

	@Test
	void aContinuationAcquiresTheSameKey() throws Exception {
		KeyTable keys = local(TestSettings.NO_HAND_OFF);
		AtomicInteger left = new AtomicInteger(MANY);
		CountDownLatch done = new CountDownLatch(1);
		AtomicReference<Consumer<Hold>> next = new AtomicReference<>();
		next.set((hold) -> {
			if (left.decrementAndGet() == 0) {
				done.countDown();
			}
			else {
				// Before the lock is free: the continuation of a future that is complete
				// runs on this thread, and then the test itself would nest.
				acquire(keys, false).thenAccept(next.get());
				leave(keys, hold);
			}
		});
		acquire(keys, false).thenAccept(next.get());
		assertThat(done.await(5, TimeUnit.MINUTES)).as("left: %s", left).isTrue();
	}

	/** Each stage that completes at once is followed by another command. */
	@Test
	void commandsThatFollowEachOtherOnOneThreadDoNotNest() throws Exception {
		UnwantedStore store = new UnwantedStore();
		KeyTable keys = table(store, TestSettings.NO_HAND_OFF);
		store.keys = keys;
		acquire(keys, false);
		assertThat(store.done.await(1, TimeUnit.MINUTES)).as("commands: %s", store.commands).isTrue();
		assertThat(store.deepest).hasValueLessThan(500);
	}

	/** While an attempt is sent, it reports that another one may succeed. */
	private static final class UnwantedStore extends IdleStore {

		private final CountDownLatch done = new CountDownLatch(1);

		private final AtomicInteger commands = new AtomicInteger();

		private final AtomicInteger deepest = new AtomicInteger();

		private @Nullable KeyTable keys;

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			this.deepest.accumulateAndGet(Thread.currentThread().getStackTrace().length, Math::max);
			if (this.commands.incrementAndGet() == MANY) {
				this.done.countDown();
				return CompletableFuture
					.completedFuture(new Grant(1, 1, Validity.until(TimeSource.SYSTEM.now(), LEASE)));
			}
			this.keys.retry(ticket);
			return CompletableFuture.completedFuture(new AttemptResult.Queued(Duration.ofMinutes(1), true));
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			return CompletableFuture.completedFuture(new ReleaseResult(true, null));
		}

	}

	/** The turn of a command ends with an error, and the next one is sent. */
	@Test
	void anErrorInACommandThatIsSentInOrderEndsItsTurn() {
		List<String> ended = new ArrayList<>();
		BackgroundCommands commands = new BackgroundCommands(new IdleStore() {
		}, (task) -> null);
		commands.send("key", () -> CompletableFuture.completedFuture(1), (answer, failure) -> {
			ended.add("first");
			if (failure == null) {
				throw new InternalError("injected");
			}
		});
		commands.send("key", () -> CompletableFuture.completedFuture(2), (answer, failure) -> ended.add("second"));
		assertThat(ended).contains("first", "second");
		CompletableFuture<Boolean> pending = new CompletableFuture<>();
		commands.send("key", () -> pending, (answer, failure) -> ended.add("third"));
		commands.send("key", () -> {
			throw new InternalError("injected");
		}, (answer, failure) -> ended.add("fourth " + failure));
		commands.send("key", () -> CompletableFuture.completedFuture(5), (answer, failure) -> ended.add("fifth"));
		pending.complete(true);
		assertThat(ended).contains("third", "fourth java.lang.InternalError: injected", "fifth");
	}

	@Test
	void fairCallersThatCouldNotBeQueuedRetryInTheOrderOfTheirArrival() {
		for (int i = 0; i < 4; i++) {
			acquire(this.unheard, true);
		}
		runAll();
		assertThat(this.asked).containsExactly(1L, 2L, 3L, 4L);
		this.asked.clear();
		// The inbox is connected now.
		this.unheard.retryAll();
		runAll();
		assertThat(this.asked).containsExactly(1L, 2L, 3L, 4L);
	}

	@Test
	void asynchronousFairCallersAreSentOneAfterAnotherAlsoToAStoreThatDoesNotBlock() {
		PendingStore store = new PendingStore();
		KeyTable keys = table(store, TestSettings.NO_HAND_OFF);
		for (int i = 0; i < 3; i++) {
			acquire(keys, true);
		}
		assertThat(this.asked).containsExactly(1L);
		store.answer.complete(new AttemptResult.Queued(Duration.ofMinutes(1), true));
		assertThat(this.asked).containsExactly(1L, 2L);
		store.answer.completeExceptionally(new LockBackendException("no answer"));
		assertThat(this.asked).containsExactly(1L, 2L, 3L);
		acquire(keys, false);
		assertThat(this.asked).as("no other caller waits").containsExactly(1L, 2L, 3L, 4L);
	}

	@Test
	void aReleaseThatIsSentAfterAnEarlierCommandIsAwaited() throws Exception {
		assertThat(releasedAfterGrantByMessage(Duration.ofMinutes(5), true)).isEqualTo(ReleaseOutcome.GONE);
		assertThat(releasedAfterGrantByMessage(Duration.ofMillis(50), false)).isEqualTo(ReleaseOutcome.UNANSWERED);
	}

	private ReleaseOutcome releasedAfterGrantByMessage(Duration timeout, boolean answers) throws Exception {
		PendingStore store = new PendingStore();
		KeyTable keys = new KeyTable(store, IdleStore.DESCRIPTION, "one", timeout, TestSettings.NO_HAND_OFF,
				EngineEnvironment.SYSTEM, this.threads);
		CompletableFuture<Hold> holder = acquire(keys, false);
		keys.granted(new Ticket("key", LockMode.EXCLUSIVE, "one", 1, false),
				new Grant(1, 1, Validity.until(TimeSource.SYSTEM.now(), LEASE)));
		Hold hold = holder.get(1, TimeUnit.MINUTES);
		CompletableFuture<ReleaseOutcome> outcome = CompletableFuture.supplyAsync(() -> leave(keys, hold));
		await().until(() -> keys.snapshot().get(0).holder() == null);
		if (answers) {
			assertThat(outcome).isNotDone();
			store.answer.complete(new AttemptResult.Queued(LEASE, true));
		}
		return outcome.get(1, TimeUnit.MINUTES);
	}

	/** A store that answers when the test does: it may send in another order. */
	private final class PendingStore extends IdleStore {

		private CompletableFuture<AttemptResult> answer = new CompletableFuture<>();

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			KeyTableTests.this.asked.add(ticket.number());
			this.answer = new CompletableFuture<>();
			return this.answer;
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			return CompletableFuture.completedFuture(new ReleaseResult(false, null));
		}

	}

	/** Several threads guarantee no order: here the last task runs first. */
	private void runAll() {
		Runnable task;
		while ((task = this.lateTasks.pollLast()) != null) {
			task.run();
		}
	}

	/** Runs nothing before the test does. */
	private final class LateExecutor extends ThreadPoolExecutor {

		LateExecutor() {
			super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		}

		@Override
		public void execute(Runnable task) {
			KeyTableTests.this.lateTasks.addLast(task);
		}

	}

	/** A store whose inbox is not connected yet. */
	private final class UnheardStore extends IdleStore {

		@Override
		public boolean blocks() {
			return true;
		}

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			KeyTableTests.this.asked.add(ticket.number());
			return CompletableFuture.completedFuture(new AttemptResult.Queued(Duration.ofSeconds(2), false));
		}

	}

}
