package io.github.distlock.backend.local;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import io.github.distlock.backend.TimeSource;

/**
 * All locks of a local store, in memory. It is the equivalent of a lock server: backends
 * that are to exclude each other share one. It has no threads and no timers: the next
 * command finds leases that have ended. Thread-safe.
 */
public final class LocalStore {

	private static final int SMALLEST_CLEAN_UP = 64;

	private final TimeSource clock;

	/**
	 * Added to the monotonic clock it gives microseconds since 1970, which are the
	 * tokens.
	 */
	private final long originMicros;

	private final ReentrantLock lock = new ReentrantLock();

	/** By key. Guarded by {@link #lock}, as are all fields below. */
	private final Map<String, LocalLock> locks;

	/** At least as high as each token of a key that is not in the map. */
	private long lastToken;

	/** The number of keys from which on unused ones are removed. */
	private int nextCleanUp = SMALLEST_CLEAN_UP;

	/**
	 * Create a store without locks.
	 * @param clock the clock by which leases end; the monotonic clocks of the backends
	 * must run at the same speed
	 */
	public LocalStore(TimeSource clock) {
		this(clock, new HashMap<>());
	}

	LocalStore(TimeSource clock, Map<String, LocalLock> locks) {
		this.clock = clock;
		this.originMicros = clock.wallMillis() * 1000 - clock.nanoTime() / 1000;
		this.locks = locks;
	}

	TimeSource clock() {
		return this.clock;
	}

	/**
	 * Execute a command, and then notify the other tickets that it concerns: without the
	 * lock, since they may call the store.
	 */
	<T> T execute(String name, Function<LocalLock, T> command) {
		T answer;
		List<Runnable> signals;
		this.lock.lock();
		try {
			long now = this.clock.nanoTime();
			LocalLock key = this.locks.get(name);
			if (key == null) {
				cleanUp(now);
				key = new LocalLock(this.lastToken);
				this.locks.put(name, key);
			}
			key.begin(now, this.originMicros + now / 1000);
			answer = command.apply(key);
			signals = key.takeSignals();
			if (key.isUnused(now)) {
				forget(key);
				this.locks.remove(name);
			}
		}
		finally {
			this.lock.unlock();
		}
		signals.forEach(Runnable::run);
		return answer;
	}

	private void cleanUp(long now) {
		if (this.locks.size() >= this.nextCleanUp) {
			this.locks.values().removeIf((key) -> key.isUnused(now) && forget(key));
			this.nextCleanUp = Math.max(SMALLEST_CLEAN_UP, this.locks.size() * 2);
		}
	}

	private boolean forget(LocalLock key) {
		this.lastToken = Math.max(this.lastToken, key.lastToken());
		return true;
	}

}
