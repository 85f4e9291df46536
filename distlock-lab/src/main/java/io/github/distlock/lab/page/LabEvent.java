package io.github.distlock.lab.page;

import java.util.Collection;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * An event of a run. All times are microseconds since 1970.
 */
sealed interface LabEvent {

	/**
	 * The first event of a run.
	 */
	record RunStarted(String run, long at, int orders, int stock, int buyers,
			List<PlannedTrial> trials) implements LabEvent {
	}

	/**
	 * A trial as it is planned.
	 */
	record PlannedTrial(int trial, String strategy, String fault) {
	}

	/**
	 * A trial enters a phase, or something in it takes a while.
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Phase(int trial, long at, String phase, @Nullable String node, @Nullable String text) implements LabEvent {
	}

	/**
	 * Sales that are new or have changed.
	 */
	record Sales(int trial, @JsonProperty("stays") Collection<RecordedSale> sales) implements LabEvent {
	}

	/**
	 * How many callers wait on the nodes for locks.
	 */
	record Queues(int trial, List<Queue> queues) implements LabEvent {
	}

	/**
	 * How many callers wait on a node from a time on.
	 */
	record Queue(String node, long at, int waiting) {
	}

	/**
	 * A fault strikes, or its end is known.
	 */
	record Fault(int trial, String node, String fault, long from, @Nullable Long until) implements LabEvent {
	}

	/**
	 * What the database says, and the counts of orders.
	 */
	record Tally(int trial, long at, long stock, long sold, long oversold, long lostUpdates, long duplicates,
			long answered, long errors, long unserved) implements LabEvent {
	}

	/**
	 * The verdict on a trial.
	 */
	record Verdict(int trial, long at, String fault, String verdict, boolean expected, String why,
			Figures figures) implements LabEvent {
	}

	/**
	 * Figures of a trial.
	 */
	record Figures(long sold, long stockLeft, long oversold, long lostUpdates, long duplicates, long errors,
			long unserved, double seconds, double ordersPerSecond, long overlaps) {
	}

	/**
	 * The last event of a run.
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record End(long at, String outcome, @Nullable String message) implements LabEvent {
	}

	/**
	 * Return the type of this event, as the page knows it.
	 */
	default String typeName() {
		if (this instanceof RunStarted) {
			return "run";
		}
		return (this instanceof Sales) ? "stays" : getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
	}

}
