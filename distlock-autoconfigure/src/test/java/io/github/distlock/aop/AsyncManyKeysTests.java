package io.github.distlock.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests asynchronous methods with several keys: all or nothing, without a waiting thread.
 */
class AsyncManyKeysTests {

	private static final AnnotationConfigApplicationContext context = LockedApplication
		.of(Moves.class, LocalStoreApplication.class)
		.start();

	private final Moves moves = context.getBean(Moves.class);

	private final LockRegistry registry = context.getBean("localLocks", LockRegistry.class);

	@AfterAll
	static void close() {
		context.close();
	}

	@Test
	void allLocksAreHeldUntilTheWorkIsDone() throws Exception {
		CompletableFuture<Void> end = new CompletableFuture<>();
		CompletableFuture<List<String>> result = this.moves.move(List.of("s2", "s1", "s2"), end);
		await().until(() -> !isFree("s1") && !isFree("s2"));
		assertThat(result).isNotDone();
		end.complete(null);
		assertThat(result.get(10, TimeUnit.SECONDS)).containsExactly("s2", "s1");
		assertThat(isFree("s1")).isTrue();
		assertThat(isFree("s2")).isTrue();
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

	private boolean isFree(String key) {
		return LocalStoreApplication.isFree(this.registry, key);
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
