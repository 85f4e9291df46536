package io.github.distlock.benchmarks.contenders;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The locks of one contender in one client, open until the client is closed.
 */
public interface Locks {

	/**
	 * Wait for the lock of a key, for ever.
	 * @param key what is locked
	 * @return the lock
	 * @throws InterruptedException if the thread was interrupted
	 */
	Held lock(String key) throws InterruptedException;

	/**
	 * Wait for the lock of a key for a while.
	 * @param key what is locked
	 * @param wait how long to wait; zero tries once
	 * @return the lock, or {@code null} if the time has passed
	 * @throws InterruptedException if the thread was interrupted
	 */
	@Nullable Held tryLock(String key, Duration wait) throws InterruptedException;

	/**
	 * Run a section under the lock of a key.
	 * @param key what is locked
	 * @param section what to run
	 * @throws Exception whatever goes wrong
	 */
	default void run(String key, Runnable section) throws Exception {
		Held held = lock(key);
		try {
			section.run();
		}
		finally {
			held.release();
		}
	}

}
