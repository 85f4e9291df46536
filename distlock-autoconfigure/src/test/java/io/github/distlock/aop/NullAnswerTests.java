package io.github.distlock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.OnFailure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.mock;

/**
 * Tests that a call fails without running the method if the registry returns
 * {@code null}, which breaks its contract.
 */
class NullAnswerTests {

	/** What the asynchronous methods return; the others return {@code null}. */
	private @Nullable CompletableFuture<?> future;

	private final LockRegistry registry = mock(LockRegistry.class,
			(call) -> (call.getMethod().getReturnType() == CompletableFuture.class) ? this.future : null);

	private final AnnotationConfigApplicationContext context = LockedApplication.of(Work.class)
		.with((started) -> started.registerBean(LockRegistry.class, () -> this.registry,
				(definition) -> definition.setPrimary(true)))
		.start();

	private final Work work = this.context.getBean(Work.class);

	@AfterEach
	void close() {
		assertThat(this.work.runs()).isZero();
		this.context.close();
	}

	@Test
	void nullFromAcquireDoesNotSkipTheCall() {
		assertThatIllegalStateException().isThrownBy(this.work::plain)
			.withMessageContaining(" returned null for lock 'k' (Work.plain)")
			.withMessageContaining(this.registry.getClass().getName())
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
		this.future = future ? CompletableFuture.completedFuture(null) : null;
		assertRefused(this.work.stage());
		assertRefused(this.work.mono().toFuture());
		assertRefused(this.work.skippingStage());
	}

	private static void assertRefused(CompletableFuture<?> result) {
		assertThat(catchThrowable(() -> result.get(20, TimeUnit.SECONDS))).cause()
			.isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("null for lock 'k'");
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
