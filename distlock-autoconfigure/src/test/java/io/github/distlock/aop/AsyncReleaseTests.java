package io.github.distlock.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests the order of release and result, and the cancellation of waits, with a registry
 * that can be halted.
 */
class AsyncReleaseTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = LockedApplication.of(Work.class, Halting.class).start();

	private final Work work = this.context.getBean(Work.class);

	private final SlowLocks locks = this.context.getBean(SlowLocks.class);

	private final CompletableFuture<String> end = new CompletableFuture<>();

	@Test
	void aStageDoesNotCompleteBeforeTheReleaseHasEnded() throws Exception {
		assertToldAfterTheRelease(() -> this.work.stage(this.end));
	}

	@Test
	void aPublisherDoesNotCompleteBeforeTheReleaseHasEnded() throws Exception {
		assertToldAfterTheRelease(() -> this.work.mono(Mono.fromFuture(this.end)).toFuture());
	}

	private void assertToldAfterTheRelease(Supplier<CompletableFuture<String>> call) throws Exception {
		CompletableFuture<Throwable> early = new CompletableFuture<>();
		CompletableFuture<String> result = call.get();
		this.locks.onRelease = () -> early.complete(catchThrowable(() -> result.get(200, TimeUnit.MILLISECONDS)));
		this.end.complete("done");
		assertThat(early.get(10, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
	}

	@Test
	void aLockThatIsLostWhileTheCallWaitsForOthersIsReleasedUnused() {
		this.locks.onRequest = (key) -> this.locks.loseAll();
		assertThat(catchThrowable(() -> this.work.both("b", "a").get(10, TimeUnit.SECONDS)))
			.hasCauseInstanceOf(LockLostException.class)
			.hasMessageContaining("The method did not run");
		assertThat(this.locks.abandoned).containsExactly("b", "a");
	}

	@Test
	void aSchedulerHookThatThrowsLeavesNothingLocked() {
		Schedulers.onScheduleHook("broken", (task) -> {
			throw new IllegalStateException("no trace");
		});
		try {
			assertThat(catchThrowable(() -> this.work.mono(Mono.never()).toFuture().get(10, TimeUnit.SECONDS)))
				.hasRootCauseMessage("no trace");
		}
		finally {
			Schedulers.resetOnScheduleHook("broken");
		}
		assertThat(this.locks.abandoned).containsExactly("mono");
	}

	@Test
	void cancellingAStageOrASubscriptionCancelsTheWaitInTheRegistry() {
		this.locks.halted = true;
		CompletableFuture<String> result = this.work.stage(this.end);
		await().until(() -> this.locks.waiting.size() == 1);
		result.cancel(false);
		Disposable subscription = this.work.mono(Mono.never()).subscribe();
		await().until(() -> this.locks.waiting.size() == 2);
		subscription.dispose();
		await().until(() -> this.locks.waiting.stream().allMatch(CompletableFuture::isCancelled));
	}

	static class Work {

		@DistributedLock("'stage'")
		CompletableFuture<String> stage(CompletableFuture<String> end) {
			return end;
		}

		@DistributedLock("#keys")
		CompletableFuture<String> both(String... keys) {
			throw new IllegalStateException("not to be run");
		}

		@DistributedLock("'mono'")
		Mono<String> mono(Mono<String> end) {
			return end;
		}

	}

	static class SlowLocks extends InMemoryLocks {

		/** Whether no lock is granted any more. */
		volatile boolean halted;

		final List<CompletableFuture<HeldLock>> waiting = new CopyOnWriteArrayList<>();

		@Override
		public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
			if (!this.halted) {
				return super.acquireAsync(request);
			}
			CompletableFuture<HeldLock> asked = new CompletableFuture<>();
			this.waiting.add(asked);
			return asked;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Halting {

		@Bean
		@Primary
		SlowLocks slowLocks() {
			return new SlowLocks();
		}

	}

}
