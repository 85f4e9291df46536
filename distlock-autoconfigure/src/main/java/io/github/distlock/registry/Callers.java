package io.github.distlock.registry;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.observation.LockObservers;

/**
 * The callers of one run of a registry: those that wait now, and what all of them report
 * to.
 *
 * @param backend the name of the backend
 * @param listeners the listeners
 * @param observers finds the observer
 * @param clock the time
 * @param waiting the callers that wait now, a concurrent set
 */
record Callers(String backend, LockListeners listeners, LockObservers observers, TimeSource clock,
		Set<Caller> waiting) {

	/** Return the callers that wait now, the longest waiting first. */
	List<Caller> longestWaitingFirst() {
		return this.waiting.stream().sorted(Comparator.comparingLong(Caller::waitingSinceNanos)).toList();
	}

	/** Return how many callers wait for each key. */
	Map<String, Integer> waitingByKey() {
		Map<String, Integer> counts = new HashMap<>();
		this.waiting.forEach((caller) -> counts.merge(caller.request().key(), 1, Integer::sum));
		return counts;
	}

}
