package io.github.distlock.backend.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Waits for the threads that use a client before the client is shut down.
 */
final class LockClientShutdown {

	/** A thread that connects to an unreachable server ends later, by itself. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private LockClientShutdown() {
	}

	/** Wait for a thread that was requested to end. Keeps the interrupt flag. */
	static void join(@Nullable Thread thread) {
		join(thread, PATIENCE);
	}

	/** The same with a limit. */
	static void join(@Nullable Thread thread, Duration limit) {
		if (thread == null || thread == Thread.currentThread()) {
			return;
		}
		try {
			thread.join(limit.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
