package io.github.distlock.backend.redis;

import java.util.concurrent.TimeUnit;

/**
 * Waits for threads that use a client before that is shut down.
 */
final class LockClientShutdown {

	/** A thread that is connecting to a server that is away ends later, by itself. */
	private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(1);

	private LockClientShutdown() {
	}

	/** Wait for the end of a thread that was asked to end. Keeps the interrupt flag. */
	static void join(Thread thread) {
		if (thread == Thread.currentThread()) {
			return;
		}
		try {
			thread.join(PATIENCE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
