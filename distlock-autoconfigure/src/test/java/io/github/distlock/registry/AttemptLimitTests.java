package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TestSettings;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * As many attempts as may be sent at a time are unanswered: the store answers when the
 * test does.
 */
class AttemptLimitTests {

	private static final int LIMIT = 256;

	private static final Duration LEASE = Duration.ofSeconds(12);

	private final Map<String, CompletableFuture<AttemptResult>> attempts = new ConcurrentHashMap<>();

	private final Queue<String> others = new ConcurrentLinkedQueue<>();

	private final BackendLockRegistry node = new BackendLockRegistry(new AnsweringStore(), RedisNodes.settings(LEASE),
			List.of(), TimeSource.SYSTEM);

	private @Nullable HeldLock held;

	AttemptLimitTests() {
		this.node.start();
	}

	@AfterEach
	void stop() {
		this.attempts.values().forEach((attempt) -> attempt.complete(new AttemptResult.Busy(LEASE)));
		this.node.shutdown();
	}

	/** Hold a lock, and send as many attempts as are sent at a time. */
	private void fill() {
		for (int i = 0; i < LIMIT; i++) {
			// Each answer raises the limit, which is lower in a new JVM.
			CompletableFuture<HeldLock> warmUp = acquireAsync("warm-up");
			answer("warm-up");
			warmUp.join().close();
		}
		this.attempts.clear();
		CompletableFuture<HeldLock> first = acquireAsync("held");
		answer("held");
		this.held = first.join();
		IntStream.range(0, LIMIT).forEach((i) -> acquireAsync("key-" + i));
		assertThat(this.attempts).hasSize(1 + LIMIT);
	}

	private CompletableFuture<HeldLock> acquireAsync(String key) {
		return this.node.acquireAsync(LockRequest.of(key).waitTime(Duration.ofMinutes(5)));
	}

	private void answer(String key) {
		this.attempts.get(key).complete(new Grant(1, 1, Validity.until(TimeSource.SYSTEM.now(), LEASE)));
	}

	@Test
	void moreAttemptsAreSentInTheirOrderWhenOthersAreAnsweredOrFail() {
		fill();
		IntStream.range(0, 5).forEach((i) -> acquireAsync("later-" + i));
		assertThat(this.attempts.keySet()).doesNotContain("later-0");
		answer("key-0");
		assertThat(this.attempts.keySet()).contains("later-0").doesNotContain("later-1");
		this.attempts.get("key-1").complete(new AttemptResult.Queued(Duration.ofMinutes(5), true));
		assertThat(this.attempts.keySet()).contains("later-1").doesNotContain("later-2");
		// Each failure gives a place back, and lowers the limit for a while.
		this.attempts.get("key-2").completeExceptionally(new LockBackendException("no answer"));
		this.attempts.get("key-3").completeExceptionally(new InternalError("injected"));
		assertThat(this.attempts.keySet()).doesNotContain("later-2");
		IntStream.range(4, LIMIT).forEach((i) -> answer("key-" + i));
		assertThat(this.attempts.keySet()).contains("later-2", "later-3", "later-4");
	}

	@Test
	void anAttemptThatTheStoreThrowsGivesItsPlaceBack() {
		fill();
		for (int i = 0; i < 3 * LIMIT; i++) {
			acquireAsync("throws-" + i);
		}
		acquireAsync("last");
		IntStream.range(0, LIMIT).forEach((i) -> answer("key-" + i));
		await().until(() -> this.attempts.containsKey("last"));
	}

	@Test
	void renewalsAndReleasesPass() {
		fill();
		acquireAsync("later");
		this.others.clear();
		await().until(() -> this.others.contains("renew held"));
		this.held.close();
		assertThat(this.others).contains("release held");
		assertThat(this.attempts.keySet()).doesNotContain("later");
	}

	@Test
	void aThreadWhoseAttemptWaitsGetsTheLock() throws Exception {
		fill();
		CompletableFuture<Void> entered = CompletableFuture
			.runAsync(() -> this.node.acquire(LockRequest.of("thread").waitTime(Duration.ofMinutes(5))).close());
		await().until(() -> this.node.snapshot().waiting().size() == 1);
		answer("key-0");
		answer("thread");
		entered.join();
	}

	/** What is written about slow waits must not starve the threads of the library. */
	@Test
	void aReportOfManySlowWaitsReadsTheStateOfEachKeyOnce() {
		LongAdder reads = new LongAdder();
		EngineEnvironment environment = CheckedEnvironment.withLocks(() -> new ReentrantLock() {

			@Override
			public boolean tryLock(long timeout, TimeUnit unit) throws InterruptedException {
				reads.increment();
				return super.tryLock(timeout, unit);
			}

		});
		RegistrySettings slow = TestSettings.reporting(RedisNodes.settings(LEASE), "tests", Duration.ofSeconds(2));
		BackendLockRegistry waiting = new BackendLockRegistry(new AnsweringStore(), slow, () -> List.of(), environment,
				LockObservers.NONE);
		waiting.start();
		for (int i = 0; i < LIMIT / 2; i++) {
			waiting.acquireAsync(LockRequest.of("slow-" + i).waitTime(Duration.ofMinutes(5)));
			this.attempts.get("slow-" + i).complete(new AttemptResult.Queued(Duration.ofMinutes(5), true));
		}
		await().until(() -> waiting.snapshot().waiting().size() == LIMIT / 2);
		Awaitility.await().during(Duration.ofSeconds(5)).atMost(Duration.ofMinutes(1)).until(() -> reads.sum() > LIMIT);
		assertThat(reads.sum()).isLessThan(LIMIT * LIMIT / 8);
		waiting.shutdown();
	}

	/** Attempts are answered by the test, everything else at once. */
	private final class AnsweringStore extends IdleStore {

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			if (ticket.key().startsWith("throws")) {
				throw new InternalError("injected");
			}
			CompletableFuture<AttemptResult> answer = new CompletableFuture<>();
			AttemptLimitTests.this.attempts.put(ticket.key(), answer);
			return answer;
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			AttemptLimitTests.this.others.add("release " + ticket.key());
			return CompletableFuture.completedFuture(new ReleaseResult(true, null));
		}

		@Override
		public CompletionStage<?> cancel(Ticket ticket) {
			AttemptLimitTests.this.others.add("cancel " + ticket.key());
			return CompletableFuture.completedFuture(true);
		}

		@Override
		public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
			renewals.forEach((renewal) -> AttemptLimitTests.this.others.add("renew " + renewal.ticket().key()));
			return CompletableFuture.completedFuture(renewals.stream()
				.<RenewalResult>map((renewal) -> new RenewalResult.Extended(
						Validity.until(TimeSource.SYSTEM.now(), renewal.lease())))
				.toList());
		}

	}

}
