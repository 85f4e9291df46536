package io.github.distlock.lab.runs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

/**
 * Calls several listeners, one after the other.
 */
final class RunListeners implements RunListener {

	private final List<RunListener> all = new CopyOnWriteArrayList<>();

	void add(RunListener listener) {
		this.all.add(listener);
	}

	@Override
	public void started(Run run) {
		this.all.forEach((listener) -> listener.started(run));
	}

	@Override
	public void phase(Trial trial, Phase phase, @Nullable String node, @Nullable String text) {
		this.all.forEach((listener) -> listener.phase(trial, phase, node, text));
	}

	@Override
	public void answered(Trial trial, Counts counts) {
		this.all.forEach((listener) -> listener.answered(trial, counts));
	}

	@Override
	public void failed(Trial trial, String message) {
		this.all.forEach((listener) -> listener.failed(trial, message));
	}

	@Override
	public void trialEnded(Trial planned, TrialResult result, boolean complete) {
		this.all.forEach((listener) -> listener.trialEnded(planned, result, complete));
	}

	@Override
	public void ended(Run run, End end, @Nullable String message) {
		this.all.forEach((listener) -> listener.ended(run, end, message));
	}

}
