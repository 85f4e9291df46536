package io.github.distlock.benchmarks.contenders;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Locks that can be tried and not waited for.
 */
public interface TryingLocks extends Locks {

	/**
	 * Try once.
	 * @param key what is locked
	 * @return the lock, or {@code null} if somebody else has it
	 */
	@Nullable Held attempt(String key);

	@Override
	default Held lock(String key) {
		Held held = attempt(key);
		if (held == null) {
			throw new IllegalStateException("'" + key + "' is taken, and this contender cannot wait");
		}
		return held;
	}

	@Override
	default @Nullable Held tryLock(String key, Duration wait) {
		return attempt(key);
	}

}
