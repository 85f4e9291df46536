package io.github.distlock.lab.runs;

import org.jspecify.annotations.Nullable;

/**
 * Follows runs. All methods except {@link #answered} are called by one thread at a time,
 * and the run continues when they return.
 */
public interface RunListener {

	/**
	 * A run begins.
	 * @param run the run
	 */
	default void started(Run run) {
	}

	/**
	 * A trial enters a phase, or does something in it that takes a while.
	 * @param trial the trial
	 * @param phase the phase
	 * @param node the inventory node that is concerned, or {@code null}
	 * @param text what is done, or {@code null}
	 */
	default void phase(Trial trial, Phase phase, @Nullable String node, @Nullable String text) {
	}

	/**
	 * An order was answered or given up. Called by many threads at the same time; must
	 * return quickly.
	 * @param trial the trial
	 * @param counts the counts of the trial so far
	 */
	default void answered(Trial trial, Counts counts) {
	}

	/**
	 * An order failed. Called for the first few of a trial, after its last answer.
	 * @param trial the trial
	 * @param message why it failed
	 */
	default void failed(Trial trial, String message) {
	}

	/**
	 * A trial is over.
	 * @param planned the trial
	 * @param result its figures
	 * @param complete whether all orders were placed; {@code false} after a stop
	 */
	default void trialEnded(Trial planned, TrialResult result, boolean complete) {
	}

	/**
	 * The run is over.
	 * @param run the run
	 * @param end how it ended
	 * @param message why it failed, or {@code null}
	 */
	default void ended(Run run, End end, @Nullable String message) {
	}

	/**
	 * The phases of a trial.
	 */
	enum Phase {

		/** Servers and nodes are made ready, and the stock is set. */
		PREPARING,

		/** Orders are placed. */
		RUNNING,

		/** The fault is taken back. */
		RECOVERING,

		/** All figures are known. */
		ENDED

	}

	/**
	 * How a run can end.
	 */
	enum End {

		/** All trials are over. */
		FINISHED,

		/** A user stopped it. */
		STOPPED,

		/** A service did not answer. */
		FAILED

	}

	/**
	 * Counts of a trial.
	 *
	 * @param answered orders with an answer, good or not
	 * @param errors orders without a good answer
	 * @param unserved orders that were turned away, or not placed, since the lock was
	 * blocked
	 */
	record Counts(long answered, long errors, long unserved) {
	}

}
