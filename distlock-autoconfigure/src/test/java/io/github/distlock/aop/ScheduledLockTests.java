package io.github.distlock.aop;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockListener;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRegistry;
import io.github.distlock.OnFailure;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests one job on two machines: here two applications with the same store.
 */
class ScheduledLockTests {

	private static final Duration MIN_HOLD = Duration.ofMillis(600);

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	/** Fencing tokens, which are the microseconds at which the store granted the lock. */
	private final List<Long> runs = new CopyOnWriteArrayList<>();

	private final AtomicInteger skipped = new AtomicInteger();

	private AnnotationConfigApplicationContext machine() {
		LockListener listener = new LockListener() {

			@Override
			public void onAttempted(Attempted event) {
				if (event.outcome() == LockOutcome.SKIPPED) {
					ScheduledLockTests.this.skipped.incrementAndGet();
				}
			}

		};
		return LockedApplication.of(Scheduling.class).with((context) -> {
			context.registerBean(Job.class, () -> new Job(this.runs));
			context.registerBean("shared", LockRegistry.class, () -> {
				BackendLockRegistry registry = new BackendLockRegistry(
						new LocalLockBackend(this.store, 17, TimeSource.SYSTEM),
						RedisNodes.settings(Duration.ofSeconds(30)), List.of(listener), TimeSource.SYSTEM);
				registry.start();
				return registry;
			}, (definition) -> definition.setDestroyMethodName("shutdown"));
		}).start();
	}

	@Test
	void theJobRunsOnceWithinItsMinimumHoldTimeAndNoCallFails() {
		try (AnnotationConfigApplicationContext one = machine(); AnnotationConfigApplicationContext two = machine()) {
			await().until(() -> this.runs.size() >= 3 && this.skipped.get() >= 10);
		}
		List<Long> seen = List.copyOf(this.runs);
		for (int i = 1; i < seen.size(); i++) {
			assertThat(Duration.of(seen.get(i) - seen.get(i - 1), ChronoUnit.MICROS))
				.isGreaterThanOrEqualTo(MIN_HOLD.minusMillis(50));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	static class Job {

		private final List<Long> runs;

		Job(List<Long> runs) {
			this.runs = runs;
		}

		@Scheduled(fixedRate = 20)
		@DistributedLock(registry = "shared", waitTime = "0", onFailure = OnFailure.SKIP, minHold = "600ms")
		void run() {
			this.runs.add(LockContext.all().get(0).fencingToken());
		}

	}

}
