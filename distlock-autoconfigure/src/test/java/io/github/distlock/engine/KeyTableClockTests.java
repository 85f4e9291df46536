package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.engine.Waiter.FutureWaiter;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys with a manual clock, and a store that grants nothing before a message: what one
 * caller of a key learns, the others know.
 */
class KeyTableClockTests {

	private static final LeaseTerms TERMS = RenewalScenario.watched(Duration.ofMillis(100));

	private final ManualClock clock = new ManualClock();

	private final ManualTimers timers = new ManualTimers(this.clock);

	private final Store store = new Store();

	/** Tasks of the executor, which has no thread. */
	private final List<Runnable> tasks = new ArrayList<>();

	private final KeyTable keys = RenewalScenario.keys(this.store, this.clock,
			RenewalScenario.threads(this.tasks::add, this.timers));

	private final HeldLocks heldLocks = RenewalScenario.heldLocks(this.store, this.clock, this.timers);

	@AfterEach
	void stop() {
		this.timers.stop();
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
			this.tasks.remove(this.tasks.size() - 1).run();
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

}
