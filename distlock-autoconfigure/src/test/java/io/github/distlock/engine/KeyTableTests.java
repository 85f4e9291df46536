package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
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
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.engine.Effects.Command;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.engine.Waiter.FutureWaiter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A store whose stages are complete when its verbs return: nothing that follows may nest
 * without a limit.
 */
class KeyTableTests {

	private static final Duration LEASE = Duration.ofMinutes(5);

	private static final int MANY = 10_000;

	private final EngineThreads threads = EngineEnvironment.SYSTEM.newThreads();

	private final Map<KeyTable, HeldLocks> heldLocks = new ConcurrentHashMap<>();

	private final List<Long> asked = new ArrayList<>();

	private final RecordedEvents events = new RecordedEvents();

	@AfterEach
	void stop() {
		this.threads.timers().stop();
		this.threads.commands().shutdownNow();
		this.threads.callbacks().shutdownNow();
	}

	private KeyTable table(LockStore store, HandOffLimits limits) {
		return table(store, limits, Duration.ofSeconds(5), CheckedEnvironment.of(TimeSource.SYSTEM));
	}

	private KeyTable table(LockStore store, HandOffLimits limits, Duration timeout, EngineEnvironment environment) {
		return new KeyTable(store, IdleStore.DESCRIPTION, "one", timeout, limits, environment, this.threads);
	}

	/** Its commands are answered within a time. */
	private KeyTable table(PendingStore store, Duration timeout) {
		return table(store, TestSettings.NO_HAND_OFF, timeout, CheckedEnvironment.of(TimeSource.SYSTEM));
	}

	private KeyTable local(HandOffLimits limits) {
		Signals signals = new Signals();
		LockStore store = new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 501, TimeSource.SYSTEM)
			.open(new StoreContext(LockInstance.of("one"), signals));
		KeyTable keys = table(store, limits);
		signals.keys = keys;
		return keys;
	}

	private HeldLocks heldLocks(KeyTable keys) {
		return this.heldLocks.computeIfAbsent(keys, (one) -> new HeldLocks(new IdleStore() {
		}, IdleStore.DESCRIPTION, one, CheckedEnvironment.of(TimeSource.SYSTEM), this.threads,
				new LockListeners(() -> List.of(this.events), new LockRecording("test", false)), false, false,
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
		hold.takeOver();
		assertThat(hold.endLease()).isPositive();
		return keys.release(hold, LEASE.toNanos(), true).getNow(ReleaseOutcome.UNANSWERED);
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

	@ParameterizedTest
	@CsvSource({ "hand it on, 500, false", "get it from the store, 0, false", "fair, 0, true" })
	void manyAsynchronousCallersOfOneKeyEnter(String how, int budget, boolean fair) throws Exception {
		acquireMany(local(new HandOffLimits(budget, Duration.ofSeconds(budget))), fair, fair ? MANY / 10 : MANY);
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

	private static BackgroundCommands commands() {
		return new BackgroundCommands(new IdleStore() {
		}, (task) -> null);
	}

	/** The turn of a command ends with an error, and the next one is sent. */
	@Test
	void anErrorInACommandThatIsSentInOrderEndsItsTurn() {
		List<String> ended = new ArrayList<>();
		BackgroundCommands commands = commands();
		commands.send("key", false, () -> CompletableFuture.completedFuture(1), (answer, failure) -> {
			ended.add("first");
			if (failure == null) {
				throw new InternalError("injected");
			}
		});
		commands.send("key", false, () -> CompletableFuture.completedFuture(2),
				(answer, failure) -> ended.add("second"));
		assertThat(ended).contains("first", "second");
		CompletableFuture<Boolean> pending = new CompletableFuture<>();
		commands.send("key", false, () -> pending, (answer, failure) -> ended.add("third"));
		commands.send("key", false, () -> {
			throw new InternalError("injected");
		}, (answer, failure) -> ended.add("fourth " + failure));
		commands.send("key", false, () -> CompletableFuture.completedFuture(5),
				(answer, failure) -> ended.add("fifth"));
		pending.complete(true);
		assertThat(ended).contains("third", "fourth java.lang.InternalError: injected", "fifth");
	}

	@Test
	void attemptsThatWaitFailWhenTheStoreIsSilentButNotWhileItAnswers() {
		BackgroundCommands commands = commands();
		commands.attempts.set(BackgroundCommands.MOST_ATTEMPTS);
		List<String> ended = new ArrayList<>();
		commands.send(null, true, CompletableFuture::new, (answer, failure) -> ended.add(failure.getMessage()));
		for (int i = 0; i < 10; i++) {
			commands.answered = true;
			commands.sweep(Duration.ofSeconds(2));
		}
		commands.sweep(Duration.ofSeconds(2));
		commands.sweep(Duration.ofSeconds(2));
		assertThat(ended).isEmpty();
		commands.sweep(Duration.ofSeconds(2));
		assertThat(ended).singleElement().asString().contains("answered no command for 3 seconds");
		assertThat(commands.attempts).as("places of those that are sent").hasValue(BackgroundCommands.MOST_ATTEMPTS);
	}

	@Test
	void theSweepGivesBackThePlaceOfAnAttemptThatIsLost() {
		AtomicInteger places = new AtomicInteger();
		Ticket ticket = new Ticket("key", LockMode.EXCLUSIVE, "one", 1, false);
		Command.Attempt attempt = new Command.Attempt(ticket, LEASE, true);
		attempt.beginSend();
		attempt.countIn(places);
		for (int i = 0; i <= Command.MOST_SWEEPS; i++) {
			assertThat(places).hasValue(1);
			attempt.isLost();
		}
		assertThat(places).hasValue(0);
		attempt.end();
		assertThat(places).as("answered late").hasValue(0);
	}

	/** As that of a starved thread: each time another thread has it, for a moment. */
	@Test
	void aThreadThatFindsTheLockOfAKeyTakenSeveralTimesGetsIt() throws Exception {
		AtomicInteger tries = new AtomicInteger();
		EngineEnvironment environment = CheckedEnvironment.withLocks(() -> new ReentrantLock() {

			@Override
			public boolean tryLock() {
				return tries.get() > 5 && super.tryLock();
			}

			@Override
			public boolean tryLock(long timeout, TimeUnit unit) {
				return tries.incrementAndGet() > 5 && super.tryLock();
			}

		});
		KeyTable keys = table(new PendingStore(), TestSettings.NO_HAND_OFF, Duration.ofSeconds(5), environment);
		acquire(keys, false);
		assertThat(this.asked).containsExactly(1L);
	}

	@Test
	void asynchronousFairCallersAreSentOneAfterAnotherAlsoToAStoreThatDoesNotBlock() {
		PendingStore store = new PendingStore();
		// The timers stand still: what has failed is not repeated meanwhile.
		KeyTable keys = RenewalScenario.keys(store, TimeSource.SYSTEM,
				RenewalScenario.threads(Runnable::run, new ManualTimers(new ManualClock())));
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

	@Test
	void aReleaseThatIsRefusedAfterItsCallerHasReturnedIsReportedAsALoss() throws Exception {
		PendingStore store = new PendingStore();
		KeyTable keys = table(store, Duration.ofMillis(50));
		Hold hold = grantedByMessage(keys);
		heldLocks(keys).add(hold);
		assertThat(hold.leaveLevel(false)).isTrue();
		assertThat(heldLocks(keys).release(hold, true, null)).isTrue();
		assertThat(this.events.losses).isEmpty();
		store.answer.complete(new AttemptResult.Queued(LEASE, true));
		await().until(() -> !this.events.losses.isEmpty());
		assertThat(this.events.losses).singleElement().satisfies((loss) -> assertThat(loss.released()).isTrue());
	}

	private ReleaseOutcome releasedAfterGrantByMessage(Duration timeout, boolean answers) throws Exception {
		PendingStore store = new PendingStore();
		KeyTable keys = table(store, timeout);
		Hold hold = grantedByMessage(keys);
		CompletableFuture<ReleaseOutcome> outcome = CompletableFuture.supplyAsync(() -> leave(keys, hold));
		await().until(() -> keys.snapshot().get(0).holder() == null);
		if (answers) {
			assertThat(outcome).isNotDone();
			store.answer.complete(new AttemptResult.Queued(LEASE, true));
		}
		return outcome.get(1, TimeUnit.MINUTES);
	}

	private Hold grantedByMessage(KeyTable keys) throws Exception {
		CompletableFuture<Hold> holder = acquire(keys, false);
		keys.granted(new Ticket("key", LockMode.EXCLUSIVE, "one", 1, false),
				new Grant(1, 1, Validity.until(TimeSource.SYSTEM.now(), LEASE)));
		return holder.get(1, TimeUnit.MINUTES);
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

	/** Passes the signals of the store to the key table. */
	private static final class Signals extends NoSignals {

		/** Set before anything waits. */
		volatile KeyTable keys;

		@Override
		public void granted(Ticket ticket, Grant grant) {
			this.keys.granted(ticket, grant);
		}

		@Override
		public void retry(Ticket ticket) {
			this.keys.retry(ticket);
		}

		@Override
		public void retryAll() {
			this.keys.retryAll();
		}

	}

}
