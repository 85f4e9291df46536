package io.github.distlock.benchmarks.contenders;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A contender that offers a {@link Lock} for each key.
 *
 * @param views how it does so
 */
public record JdkLocks(Function<String, ? extends Lock> views) implements Locks {

	@Override
	public Held lock(String key) {
		Lock lock = this.views.apply(key);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
		Lock lock = this.views.apply(key);
		boolean locked = wait.isZero() ? lock.tryLock() : lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
		return locked ? lock::unlock : null;
	}

}
