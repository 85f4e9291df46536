package io.github.distlock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockNotAcquiredException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests that an {@link Error} in the release of one lock leaves no other lock held and no
 * caller without a result.
 */
class ReleaseErrorTests {

	private final AnnotationConfigApplicationContext context = LockedApplication.of(Transfers.class).start();

	private final Transfers transfers = this.context.getBean(Transfers.class);

	private final InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);

	private final OutOfMemoryError error = new OutOfMemoryError("thrown by a test");

	@AfterEach
	void close() {
		this.context.close();
	}

	private void failFirstRelease() {
		this.locks.onRelease = () -> {
			this.locks.onRelease = () -> {
			};
			throw this.error;
		};
	}

	@Test
	void allLocksAreReleasedAfterAMethodThatHasReturned() {
		failFirstRelease();
		assertThat(catchThrowable(this.transfers::run)).isSameAs(this.error);
		assertAllReleased();
		failFirstRelease();
		assertThat(catchThrowable(() -> this.transfers.stage().get(20, TimeUnit.SECONDS))).hasCause(this.error);
		assertAllReleased();
	}

	@Test
	void allLocksAreReleasedIfTheLastOneCannotBeAcquired() {
		this.locks.taken.add("c");
		failFirstRelease();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.transfers::run);
		assertAllReleased();
		failFirstRelease();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.transfers.stage().get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertAllReleased();
		failFirstRelease();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.transfers.mono().toFuture().get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertAllReleased();
	}

	private void assertAllReleased() {
		assertThat(this.locks.held).isNotEmpty().noneMatch(InMemoryLocks.Held::isHeld);
		this.locks.held.clear();
	}

	static class Transfers {

		@DistributedLock("{'a', 'b', 'c'}")
		public void run() {
		}

		@DistributedLock("{'a', 'b', 'c'}")
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock("{'a', 'b', 'c'}")
		public Mono<String> mono() {
			return Mono.just("done");
		}

	}

}
