package io.github.distlock.model;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The result of a search.
 *
 * @param longestIdle how many ticks a waiter was kept from a lock that no thread held
 * @param violated the property that is violated, or {@code null}
 * @param trace the steps that lead to the violation
 */
record SearchResult(int states, int longestIdle, boolean complete, @Nullable String violated, String trace,
		Duration time) {

	@Override
	public String toString() {
		String verdict = (this.violated != null) ? "violates " + this.violated
				: this.complete ? "holds" : "holds so far, INCOMPLETE";
		return String.format("%-24s %,11d states, longest idle %d, %.1f s", verdict, this.states, this.longestIdle,
				this.time.toMillis() / 1000.0);
	}

}
