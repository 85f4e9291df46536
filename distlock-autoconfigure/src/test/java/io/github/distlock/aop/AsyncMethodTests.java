package io.github.distlock.aop;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests that the lock of an {@code @Async} method is held by the work and not by the
 * submitter.
 */
class AsyncMethodTests {

	@AutoClose
	private static final AnnotationConfigApplicationContext context = LockedApplication
		.of(Asynchronous.class, Work.class, LocalStoreApplication.class)
		.start();

	private final Work work = context.getBean(Work.class);

	private final LockRegistry registry = context.getBean("localLocks", LockRegistry.class);

	private final CountDownLatch entered = new CountDownLatch(1);

	private final CompletableFuture<String> end = new CompletableFuture<>();

	@Test
	void theSubmitterNeitherWaitsNorHoldsTheLock() {
		try (HeldLock rival = this.registry.acquire(LockRequest.of("nothing"))) {
			this.work.nothing("nothing", this.entered, this.end);
			assertThat(this.entered.getCount()).isOne();
			assertThat(rival.isHeld()).isTrue();
		}
		assertHeldWhileItRuns("nothing");
	}

	@Test
	void theLockIsHeldWhileTheBodyRuns() throws Exception {
		Future<String> result = this.work.finished("finished", this.entered, this.end);
		assertHeldWhileItRuns("finished");
		assertThat(result.get(10, TimeUnit.SECONDS)).startsWith("work-");
	}

	@Test
	void theLockIsHeldUntilTheReturnedFutureIsDone() throws Exception {
		CompletableFuture<String> result = this.work.unfinished("unfinished", this.entered, this.end);
		assertHeldWhileItRuns("unfinished");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("end");
	}

	@Test
	void theFutureFailsIfTheLockIsNotAcquired() throws Exception {
		try (HeldLock rival = this.registry.acquire(LockRequest.of("taken"))) {
			Future<String> late = this.work.once("taken");
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> late.get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(this.work.skipped("taken").get(10, TimeUnit.SECONDS)).isEmpty();
			assertThat(rival.isHeld()).isTrue();
		}
	}

	private void assertHeldWhileItRuns(String key) {
		await().until(() -> this.entered.getCount() == 0);
		assertThat(isFree(key)).isFalse();
		this.end.complete("end");
		await().until(() -> isFree(key));
	}

	private boolean isFree(String key) {
		return LocalStoreApplication.isFree(this.registry, key);
	}

	@EnableAsync
	static class Asynchronous {

	}

	static class Work {

		@Async
		@DistributedLock("#key")
		void nothing(String key, CountDownLatch entered, CompletableFuture<String> end) {
			entered.countDown();
			end.join();
		}

		@Async
		@DistributedLock("#key")
		Future<String> finished(String key, CountDownLatch entered, CompletableFuture<String> end) {
			entered.countDown();
			end.join();
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

		@Async
		@DistributedLock("#key")
		CompletableFuture<String> unfinished(String key, CountDownLatch entered, CompletableFuture<String> end) {
			entered.countDown();
			return end;
		}

		@Async
		@DistributedLock(key = "#key", waitTime = "0")
		Future<String> once(String key) {
			return CompletableFuture.completedFuture(key);
		}

		@Async
		@DistributedLock(key = "#key", waitTime = "0", onFailure = OnFailure.SKIP)
		CompletableFuture<Optional<String>> skipped(String key) {
			return CompletableFuture.completedFuture(Optional.of(key));
		}

	}

}
