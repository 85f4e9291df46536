package io.github.distlock.registry;

import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Runs what holders want to be run when they lose a lock, on threads for callbacks. What
 * one callback throws does not keep the others from running.
 */
final class LossCallbacks {

	private static final Log logger = LogFactory.getLog(LossCallbacks.class);

	private LossCallbacks() {
	}

	static void run(Hold lost, Executor executor) {
		for (Runnable callback : lost.stay().takeCallbacks()) {
			Runnable guarded = () -> {
				try {
					callback.run();
				}
				catch (Throwable ex) {
					logger.error("A callback for the loss of lock '" + lost.key() + "' failed", ex);
				}
			};
			try {
				executor.execute(guarded);
			}
			catch (RuntimeException | Error ex) {
				// The registry has been shut down, or no thread can be started.
				guarded.run();
			}
		}
	}

}
