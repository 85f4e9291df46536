package io.github.distlock.backend.redis;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Waits for the threads that use a client before the client is shut down.
 */
final class LockClientShutdown {

	/** A thread that connects to an unreachable server ends later, by itself. */
	private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(1);

	private LockClientShutdown() {
	}

	/** Wait for a thread that was requested to end. Keeps the interrupt flag. */
	static void join(@Nullable Thread thread) {
		if (thread == null || thread == Thread.currentThread()) {
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
