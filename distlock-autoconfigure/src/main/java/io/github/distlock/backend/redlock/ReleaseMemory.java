package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * How long a completed release is remembered for a retry.
 */
final class ReleaseMemory {

	private static final Log logger = LogFactory.getLog(ReleaseMemory.class);

	private static final Duration TIME = Duration.ofSeconds(10);

	private ReleaseMemory() {
	}

	/** Forget a release after that time. */
	static void later(ScheduledExecutorService timers, Runnable forget) {
		try {
			timers.schedule(forget, TIME.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The store has been closed", ex);
		}
		catch (Throwable ex) {
			// No thread for the timer: forget at once.
			forget.run();
		}
	}

}
