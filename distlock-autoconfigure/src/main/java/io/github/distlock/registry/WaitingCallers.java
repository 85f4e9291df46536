package io.github.distlock.registry;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The callers of a registry that wait for a lock. Thread-safe.
 */
final class WaitingCallers {

	private final Set<WaitingCaller> callers = ConcurrentHashMap.newKeySet();

	void add(WaitingCaller caller) {
		this.callers.add(caller);
	}

	void remove(WaitingCaller caller) {
		this.callers.remove(caller);
	}

	boolean isEmpty() {
		return this.callers.isEmpty();
	}

	/** Return the callers that wait now, the longest waiting first. */
	List<WaitingCaller> longestFirst() {
		return this.callers.stream().sorted(Comparator.comparingLong(WaitingCaller::startNanos)).toList();
	}

	/** Return how many callers wait for a key. */
	int count(String key) {
		return (int) this.callers.stream().filter((caller) -> caller.request().key().equals(key)).count();
	}

}
