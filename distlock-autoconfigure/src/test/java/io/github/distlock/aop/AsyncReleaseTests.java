package io.github.distlock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockLostException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests what becomes of a lock whose method did not run.
 */
class AsyncReleaseTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = LockedApplication.of(Work.class).start();

	private final Work work = this.context.getBean(Work.class);

	private final InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);

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

	static class Work {

		@DistributedLock("#keys")
		CompletableFuture<String> both(String... keys) {
			throw new IllegalStateException("not to be run");
		}

		@DistributedLock("'mono'")
		Mono<String> mono(Mono<String> end) {
			return end;
		}

	}

}
