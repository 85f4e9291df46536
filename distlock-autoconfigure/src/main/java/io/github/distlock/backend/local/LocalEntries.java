package io.github.distlock.backend.local;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.TimeSource;

/**
 * The entries of the instances that use a {@link LocalStore}. Thread-safe.
 */
final class LocalEntries {

	private final TimeSource clock;

	private final LongFunction<Instant> timeOfDay;

	/** By the id of the instance. Expired entries are removed by the next command. */
	private final Map<String, LocalEntry> entries = new ConcurrentHashMap<>();

	/**
	 * Create the entries.
	 * @param clock the clock by which entries expire
	 * @param timeOfDay converts a time of the monotonic clock
	 */
	LocalEntries(TimeSource clock, LongFunction<Instant> timeOfDay) {
		this.clock = clock;
		this.timeOfDay = timeOfDay;
	}

	/** Write or refresh the entry of an instance. */
	void announce(LockInstance instance) {
		removeExpired();
		this.entries.put(instance.id(), new LocalEntry(instance, this.clock.nanoTime()));
	}

	/** Remove the entry of an instance. */
	void withdraw(String instance) {
		this.entries.remove(instance);
	}

	/** The entries that have not expired. */
	List<InstanceEntry> list() {
		removeExpired();
		return this.entries.values()
			.stream()
			.map((entry) -> new InstanceEntry(entry.instance(), this.timeOfDay.apply(entry.seenNanos())))
			.toList();
	}

	/** Whether the entry of an instance has not expired. */
	boolean isAlive(String instance) {
		removeExpired();
		return this.entries.containsKey(instance);
	}

	private void removeExpired() {
		long now = this.clock.nanoTime();
		this.entries.values().removeIf((entry) -> now - entry.seenNanos() >= StoreAdministration.ENTRY_TTL.toNanos());
	}

	/**
	 * The entry of an instance.
	 *
	 * @param instance the instance
	 * @param seenNanos when it was refreshed last, by the monotonic clock
	 */
	private record LocalEntry(LockInstance instance, long seenNanos) {
	}

}
