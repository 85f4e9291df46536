package io.github.distlock.sample.lab.launcher;

import java.util.List;

/**
 * A run: some plays, one after the other. Safe for use by many threads.
 */
public final class Run {

	private final String id;

	private final RunRequest request;

	private final List<PlannedPlay> plays;

	private volatile boolean stopped;

	/**
	 * Plan a run.
	 * @param id its name, of lower-case letters and digits
	 * @param request what is to be played
	 */
	public Run(String id, RunRequest request) {
		this.id = id;
		this.request = request;
		this.plays = request.plays();
	}

	public String id() {
		return this.id;
	}

	public RunRequest request() {
		return this.request;
	}

	public List<PlannedPlay> plays() {
		return this.plays;
	}

	/**
	 * Place no more orders. Returns at once; orders in progress are answered.
	 */
	void stop() {
		this.stopped = true;
	}

	/**
	 * Return whether no more orders are placed.
	 */
	public boolean isStopped() {
		return this.stopped;
	}

}
