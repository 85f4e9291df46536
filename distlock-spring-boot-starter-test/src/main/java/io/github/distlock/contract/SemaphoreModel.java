package io.github.distlock.contract;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a semaphore may do, told by its callers in the order of its steps: a permit is
 * acquired only while fewer are held than there are, and released only by a caller that
 * holds one. A caller says that it has acquired one afterwards, and that it releases one
 * before, so the model never counts a permit that is not held. Thread-safe.
 */
final class SemaphoreModel {

	private final int permits;

	private final Set<Integer> holders = new HashSet<>();

	private final List<String> violations = new ArrayList<>();

	private int most;

	SemaphoreModel(int permits) {
		this.permits = permits;
	}

	synchronized void acquired(int caller) {
		if (!this.holders.add(caller)) {
			this.violations.add("Caller " + caller + " has acquired two permits");
		}
		if (this.holders.size() > this.permits) {
			this.violations.add(this.holders + " hold " + this.permits + " permits");
		}
		this.most = Math.max(this.most, this.holders.size());
	}

	synchronized void releasing(int caller) {
		if (!this.holders.remove(caller)) {
			this.violations.add("Caller " + caller + " releases a permit that it does not hold");
		}
	}

	synchronized List<String> violations() {
		return List.copyOf(this.violations);
	}

	/** How many permits were held at once at most. */
	synchronized int most() {
		return this.most;
	}

	synchronized boolean isEmpty() {
		return this.holders.isEmpty();
	}

}
