package io.github.distlock.backend.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.github.distlock.backend.TimeSource;

/**
 * All locks of a local store, in memory. It is the equivalent of a lock server: backends
 * that are to exclude each other share one. It has no threads and no timers: the next
 * command for a key finds the leases that have ended, and forgets the key if no ticket is
 * left. Thread-safe.
 */
public final class LocalStore {

	private final TimeSource clock;

	/**
	 * Added to the monotonic clock it gives microseconds since 1970, which are the
	 * tokens.
	 */
	private final long originMicros;

	/** By key. Guarded by this, as are all fields below. */
	final Map<String, LocalLock> locks = new HashMap<>();

	/** At least as high as each token of a key that is not in the map. */
	private long lastToken;

	/**
	 * Create a store without locks.
	 * @param clock the clock by which leases end; the monotonic clocks of the backends
	 * must run at the same speed
	 */
	public LocalStore(TimeSource clock) {
		this.clock = clock;
		this.originMicros = clock.wallMillis() * 1000 - clock.nanoTime() / 1000;
	}

	/**
	 * Execute a command, and then notify the other tickets that it concerns: without the
	 * monitor, since they may call the store.
	 */
	<T> T execute(String name, Function<LocalLock, T> command) {
		List<Runnable> signals = new ArrayList<>(0);
		T answer = execute(name, command, signals);
		signals.forEach(Runnable::run);
		return answer;
	}

	/** A monitor, since the JVM also releases it after a stack overflow. */
	private synchronized <T> T execute(String name, Function<LocalLock, T> command, List<Runnable> signals) {
		long now = this.clock.nanoTime();
		LocalLock key = this.locks.computeIfAbsent(name, (absent) -> new LocalLock(this.clock, this.lastToken));
		key.begin(now, this.originMicros + now / 1000, signals);
		T answer = command.apply(key);
		if (key.isUnused()) {
			this.lastToken = Math.max(this.lastToken, key.lastToken);
			this.locks.remove(name);
		}
		return answer;
	}

}
