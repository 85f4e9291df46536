package io.github.distlock.sample.lab.launcher;

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
	public void phase(PlannedPlay play, Phase phase, @Nullable String node, @Nullable String text) {
		this.all.forEach((listener) -> listener.phase(play, phase, node, text));
	}

	@Override
	public void answered(PlannedPlay play, Counts counts) {
		this.all.forEach((listener) -> listener.answered(play, counts));
	}

	@Override
	public void failed(PlannedPlay play, String message) {
		this.all.forEach((listener) -> listener.failed(play, message));
	}

	@Override
	public void played(PlannedPlay planned, Play played, boolean complete) {
		this.all.forEach((listener) -> listener.played(planned, played, complete));
	}

	@Override
	public void ended(Run run, End end, @Nullable String message) {
		this.all.forEach((listener) -> listener.ended(run, end, message));
	}

}
