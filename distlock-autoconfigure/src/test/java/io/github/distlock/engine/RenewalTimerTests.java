package io.github.distlock.engine;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.environment.EngineEnvironment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The timer of a renewer, on real timers.
 */
class RenewalTimerTests {

	@Test
	void shortLeasesBesideAFarEndLeaveNoTimersBehind() throws Exception {
		long farNanos = Duration.ofDays(1).toNanos();
		Semaphore scans = new Semaphore(0);
		AtomicReference<RenewalTimer> timer = new AtomicReference<>();
		ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);
		timers.setRemoveOnCancelPolicy(true);
		try {
			timer.set(new RenewalTimer(EngineEnvironment.SYSTEM, timers, () -> {
				timer.get().scheduleWithin(farNanos);
				scans.release();
			}));
			timer.get().scheduleWithin(farNanos);
			for (int i = 0; i < 20; i++) {
				timer.get().scheduleWithin(0);
				assertThat(scans.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
			}
			assertThat(timers.getQueue()).as("the last one and the sweep").hasSize(2);
		}
		finally {
			timers.shutdownNow();
		}
	}

}
