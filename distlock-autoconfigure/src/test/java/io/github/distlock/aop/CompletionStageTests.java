package io.github.distlock.aop;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests methods that return a stage, with one key and with several, with real proxies and
 * a real store.
 */
class CompletionStageTests {

	@AutoClose
	private static final AnnotationConfigApplicationContext context = LockedApplication
		.of(Work.class, Moves.class, LocalStoreApplication.class)
		.start();

	private final Work work = context.getBean(Work.class);

	private final Moves moves = context.getBean(Moves.class);

	private final LockRegistry registry = context.getBean("localLocks", LockRegistry.class);

	private final CompletableFuture<String> end = new CompletableFuture<>();

	@Test
	void theLockIsHeldUntilTheStageIsCompleteAndFreeWhenTheResultIsAvailable() throws Exception {
		CompletableFuture<String> result = begin("until");
		assertThat(isFree("until")).isFalse();
		CompletableFuture<Boolean> freeWithResult = result.thenApply((value) -> isFree("until"));
		this.end.complete("done");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(freeWithResult.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void theCallerDoesNotWaitAndTheBodyRunsOnAThreadOfItsOwn() throws Exception {
		int before = this.work.entered().get();
		CompletableFuture<String> result;
		try (HeldLock rival = this.registry.acquire(LockRequest.of("executor"))) {
			result = this.work.stage("executor", this.end);
			assertThat(result).isNotDone();
			assertThat(this.work.entered()).hasValue(before);
			assertThat(rival.isHeld()).isTrue();
		}
		await().until(() -> this.work.entered().get() == before + 1);
		assertThat(this.work.thread()).startsWith("distlock-work-");
		CompletableFuture<String> dependent = result.thenApply((value) -> Thread.currentThread().getName());
		this.end.complete("done");
		assertThat(dependent.get(10, TimeUnit.SECONDS)).startsWith("distlock-work-");
	}

	@Test
	void theFailureOfTheWorkIsNotChanged() throws Exception {
		for (Exception thrown : List.of(new IOException("mine"), new LockNotAcquiredException("inner"))) {
			CompletableFuture<String> failed = CompletableFuture.failedFuture(thrown);
			assertThat(failure(this.work.stage("fails", failed))).isSameAs(thrown);
			assertThat(failure(this.work.stage("fails", failed.thenApply((value) -> value)))).isSameAs(thrown);
			assertThat(failure(this.work.throwing("fails", thrown))).isSameAs(thrown);
			assertThat(thrown.getSuppressed()).isEmpty();
			assertThat(isFree("fails")).isTrue();
		}
		assertThat(failure(Objects.requireNonNull(this.work.nothing("fails"))))
			.isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("Work.nothing(String) returned null");
		assertThat(isFree("fails")).isTrue();
	}

	@Test
	void aLostLockReplacesTheResultAndIsAddedToAFailure() {
		assertThat(failure(this.work.brief("lost", null).toCompletableFuture())).isInstanceOf(LockLostException.class);
		IOException thrown = new IOException("mine");
		assertThat(failure(this.work.brief("lost", thrown).toCompletableFuture())).isSameAs(thrown);
		assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void cancellingEndsTheWait() {
		int before = this.work.entered().get();
		CompletableFuture<String> result;
		try (HeldLock rival = this.registry.acquire(LockRequest.of("cancel"))) {
			result = this.work.stage("cancel", this.end);
			CompletableFuture<String> next = this.work.stage("cancel", this.end);
			result.cancel(false);
			next.cancel(false);
			assertThat(rival.isHeld()).isTrue();
		}
		await().until(() -> isFree("cancel"));
		assertThat(this.work.entered()).hasValue(before);
	}

	@Test
	void cancellingDoesNotReleaseTheLockOfRunningWork() {
		CompletableFuture<String> result = begin("running");
		assertThat(result.cancel(true)).isTrue();
		assertThat(this.end).isNotDone();
		assertThat(isFree("running")).isFalse();
		this.end.complete("done");
		await().until(() -> isFree("running"));
	}

	@Test
	void theWorkRunsUnderItsLockAndThoseOfItsCaller() throws Exception {
		try (HeldLock outer = this.registry.acquire(LockRequest.of("outer"))) {
			LockContext.Scope scope = LockContext.open(outer);
			CompletableFuture<List<HeldLock>> result;
			try {
				result = this.work.current("inner");
			}
			finally {
				scope.close();
			}
			assertThat(result.get(10, TimeUnit.SECONDS)).extracting(HeldLock::key).containsExactly("inner", "outer");
		}
	}

	@Test
	void theWorkEntersItsOwnLockAgainWithAndWithoutAStage() throws Exception {
		assertThat(this.work.nested("nested").get(10, TimeUnit.SECONDS))
			.isEqualTo("blocking nested, then asynchronous");
		assertThat(isFree("nested")).isTrue();
	}

	@Test
	void acquiredLocksAreReleasedIfAnotherIsNotAcquired() {
		try (HeldLock rival = this.registry.acquire(LockRequest.of("t2"))) {
			CompletableFuture<List<String>> result = this.moves.move(List.of("t1", "t2", "t3"),
					CompletableFuture.completedFuture(null));
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(LockNotAcquiredException.class)
				.withMessageContaining(rival.key());
			assertThat(isFree("t1")).isTrue();
			assertThat(isFree("t3")).isTrue();
		}
	}

	@Test
	void aSubscriptionThatIsCancelledBetweenTwoLocksLeavesNothingLocked() {
		try (HeldLock rival = this.registry.acquire(LockRequest.of("u2"))) {
			Disposable subscription = this.moves.moveLater(List.of("u1", "u2")).subscribe();
			await().until(() -> !isFree("u1"));
			subscription.dispose();
			await().until(() -> isFree("u1"));
			assertThat(rival.isHeld()).isTrue();
		}
		assertThat(isFree("u2")).isTrue();
	}

	private CompletableFuture<String> begin(String key) {
		int before = this.work.entered().get();
		CompletableFuture<String> result = this.work.stage(key, this.end);
		await().until(() -> this.work.entered().get() == before + 1);
		return result;
	}

	private boolean isFree(String key) {
		return LocalStoreApplication.isFree(this.registry, key);
	}

	private static Throwable failure(CompletableFuture<?> result) {
		Throwable thrown = catchThrowable(() -> result.get(10, TimeUnit.SECONDS));
		assertThat(thrown).isInstanceOf(ExecutionException.class);
		return Objects.requireNonNull(thrown.getCause());
	}

	static class Work {

		private final AtomicInteger entered = new AtomicInteger();

		private volatile String thread = "";

		private final ObjectProvider<Work> self;

		Work(ObjectProvider<Work> self) {
			this.self = self;
		}

		AtomicInteger entered() {
			return this.entered;
		}

		String thread() {
			return this.thread;
		}

		@DistributedLock(key = "#key")
		CompletableFuture<String> stage(@Nullable String key, CompletableFuture<String> end) {
			this.thread = Thread.currentThread().getName();
			this.entered.incrementAndGet();
			return end;
		}

		@DistributedLock(key = "#key")
		@Nullable CompletableFuture<String> nothing(String key) {
			return null;
		}

		@DistributedLock(key = "#key")
		CompletableFuture<String> throwing(String key, Exception thrown) throws Exception {
			throw thrown;
		}

		@DistributedLock(key = "#key", waitTime = "0")
		CompletableFuture<String> once(String key) {
			return CompletableFuture.completedFuture(key);
		}

		@DistributedLock(key = "#key", leaseTime = "100ms")
		CompletionStage<String> brief(String key, @Nullable Throwable thrown) {
			CompletableFuture<String> end = new CompletableFuture<>();
			LockContext.current().orElseThrow().onLost(() -> {
				if (thrown != null) {
					end.completeExceptionally(thrown);
				}
				else {
					end.complete("too late");
				}
			});
			return end;
		}

		@DistributedLock(key = "#key")
		CompletableFuture<List<HeldLock>> current(String key) {
			return CompletableFuture.completedFuture(LockContext.all());
		}

		@DistributedLock(key = "#key", waitTime = "0")
		CompletableFuture<String> nested(String key) {
			String first = this.self.getObject().blocking(key);
			return this.self.getObject().once(key).thenApply((same) -> first + ", then asynchronous");
		}

		@DistributedLock(key = "#key", waitTime = "0")
		String blocking(String key) {
			return "blocking " + key;
		}

	}

	/**
	 * Moves several things at once.
	 */
	static class Moves {

		@DistributedLock(key = "#things", waitTime = "200ms")
		public CompletableFuture<List<String>> move(List<String> things, CompletableFuture<Void> end) {
			List<String> locked = LockContext.all().stream().map(HeldLock::key).toList();
			return end.thenApply((nothing) -> locked);
		}

		@DistributedLock(key = "#things", waitTime = "-1")
		public Mono<String> moveLater(List<String> things) {
			return Mono.just("moved");
		}

	}

}
