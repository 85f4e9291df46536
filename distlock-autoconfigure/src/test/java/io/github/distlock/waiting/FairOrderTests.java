package io.github.distlock.waiting;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The order in which fair callers retry.
 */
class FairOrderTests {

	private final Deque<Runnable> tasks = new ArrayDeque<>();

	private final List<Long> asked = new ArrayList<>();

	private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();

	private final LockAcquirer acquirer = new LockAcquirer(new UnheardStore(), IdleStore.DESCRIPTION, "me",
			Duration.ofSeconds(10), TestSettings.NO_HAND_OFF, EngineEnvironment.of(new ManualClock()),
			this.tasks::addLast, Runnable::run, this.timers);

	@AfterEach
	void stop() {
		this.timers.shutdownNow();
	}

	@Test
	void fairCallersThatCouldNotBeQueuedRetryInTheOrderOfTheirArrival() {
		for (int i = 0; i < 4; i++) {
			this.acquirer.acquireAsync(new WaitRequest("key", LockMode.EXCLUSIVE, true, Duration.ofSeconds(10),
					Duration.ZERO.minusNanos(1), 0, Integer.MAX_VALUE, (since) -> {
					}));
		}
		runAll();
		assertThat(this.asked).containsExactly(1L, 2L, 3L, 4L);
		this.asked.clear();
		// The inbox is connected now.
		this.acquirer.retryAll();
		runAll();
		assertThat(this.asked).containsExactly(1L, 2L, 3L, 4L);
	}

	/** Several threads guarantee no order: here the last task runs first. */
	private void runAll() {
		Runnable task;
		while ((task = this.tasks.pollLast()) != null) {
			task.run();
		}
	}

	/** A store whose inbox is not connected yet. */
	private final class UnheardStore extends IdleStore {

		@Override
		public boolean blocks() {
			return true;
		}

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, AttemptOptions options) {
			FairOrderTests.this.asked.add(ticket.number());
			return CompletableFuture.completedFuture(new AttemptResult.Queued(Duration.ofSeconds(2), false));
		}

	}

}
