package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * What the annotations of a method say, read and checked: once for each method.
 *
 * @param locks one for each annotation, at least one, as they are written
 * @param waitTime wait time of those that say none
 */
record LockPlan(List<LockDefinition> locks, Supplier<Duration> waitTime) {

	/** The method. */
	LockedMethod where() {
		return this.locks.get(0).where();
	}

}
