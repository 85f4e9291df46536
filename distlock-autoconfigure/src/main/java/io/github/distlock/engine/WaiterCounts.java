package io.github.distlock.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many callers of this JVM wait for each key. The shared state of a key and the
 * states of its callers with their own tickets count together. A count changes only
 * inside the atomic operations of the map, and only under the lock of the waiter's key
 * state: a waiter is counted from the moment when it waits until its outcome is decided,
 * and its key never has more than its limit when it begins. A key that no caller waits
 * for has no entry. Thread-safe.
 */
final class WaiterCounts {

	private final ConcurrentMap<String, Integer> counts = new ConcurrentHashMap<>();

	/**
	 * Count a waiter from now on, unless it is counted, tries once or may not wait.
	 * @param behind whether it is known to wait; otherwise it waits if another caller of
	 * the key does, and its first attempt decides if none does
	 * @return whether it may wait
	 */
	boolean add(Waiter waiter, boolean behind) {
		if (waiter.counts != null || waiter.triesOnce()) {
			return true;
		}
		Integer others = this.counts.compute(waiter.key(), (key, before) -> {
			boolean admitted = (before != null) ? before < waiter.maxWaiting : behind;
			waiter.counts = admitted ? this : null;
			return !admitted ? before : Integer.valueOf((before != null) ? before + 1 : 1);
		});
		return waiter.counts != null || others == null;
	}

	/** The outcome of a waiter is decided. */
	void remove(Waiter waiter) {
		// Zero has no entry. In this order: after an error it is removed again.
		this.counts.computeIfPresent(waiter.key(), (key, count) -> (count > 1) ? count - 1 : null);
		waiter.counts = null;
	}

}
