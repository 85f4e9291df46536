package io.github.distlock.aop;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests that a call fails without running the method if the registry returns
 * {@code null}, which breaks its contract.
 */
class NullAnswerTests {

	private final AnnotationConfigApplicationContext context = LockedApplication.of(Mute.class, Work.class).start();

	private final Work work = this.context.getBean(Work.class);

	private final MuteLocks registry = this.context.getBean(MuteLocks.class);

	@AfterEach
	void close() {
		assertThat(this.work.runs()).isZero();
		this.context.close();
	}

	@Test
	void nullFromAcquireDoesNotSkipTheCall() {
		assertThatIllegalStateException().isThrownBy(this.work::plain)
			.withMessageContaining(" returned null for lock 'k' (Work.plain)")
			.withMessageContaining(MuteLocks.class.getName())
			.withMessageContaining("@DistlockTest or @AutoConfigureTestLocks");
	}

	@Test
	void nullFromTryAcquireDoesNotSkipTheCall() {
		assertThatIllegalStateException().isThrownBy(this.work::skipping)
			.withMessageContaining("returned null for lock");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void nullFromAnAsynchronousAcquisitionFailsTheResult(boolean future) {
		this.registry.future = future;
		assertRefused(this.work.stage());
		assertRefused(this.work.mono().toFuture());
		assertRefused(this.work.skippingStage());
	}

	private static void assertRefused(CompletableFuture<?> result) {
		assertThat(catchThrowable(() -> result.get(20, TimeUnit.SECONDS))).cause()
			.isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("null for lock 'k'");
	}

	@Configuration(proxyBeanMethods = false)
	static class Mute {

		@Bean
		@Primary
		LockRegistry muteLocks() {
			return new MuteLocks();
		}

	}

	static class MuteLocks extends InMemoryLocks {

		/** Whether the asynchronous methods return a future, of null. */
		boolean future;

		@Override
		@SuppressWarnings("NullAway")
		public HeldLock acquire(LockRequest request) {
			return null;
		}

		@Override
		@SuppressWarnings("NullAway")
		public Optional<HeldLock> tryAcquire(LockRequest request) {
			return null;
		}

		@Override
		@SuppressWarnings("NullAway")
		public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
			return this.future ? CompletableFuture.completedFuture(null) : null;
		}

		@Override
		@SuppressWarnings("NullAway")
		public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
			return this.future ? CompletableFuture.completedFuture(null) : null;
		}

	}

	static class Work {

		private int runs;

		public int runs() {
			return this.runs;
		}

		@DistributedLock("'k'")
		public void plain() {
			this.runs++;
		}

		@DistributedLock(key = "'k'", onFailure = OnFailure.SKIP)
		public void skipping() {
			this.runs++;
		}

		@DistributedLock("'k'")
		public CompletableFuture<@Nullable Void> stage() {
			this.runs++;
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock(key = "'k'", onFailure = OnFailure.SKIP)
		public CompletableFuture<@Nullable Void> skippingStage() {
			this.runs++;
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock("'k'")
		public Mono<String> mono() {
			this.runs++;
			return Mono.just("done");
		}

	}

}
