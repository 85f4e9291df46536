package io.github.distlock.sample.lab.launcher;

import java.util.List;

/**
 * A run: some trials, one after the other. Safe for use by many threads.
 */
public final class Run {

	private final String id;

	private final RunRequest request;

	private final List<Trial> trials;

	private volatile boolean stopped;

	/**
	 * Plan a run.
	 * @param id its name, of lower-case letters and digits
	 * @param request what is to be tried
	 */
	public Run(String id, RunRequest request) {
		this.id = id;
		this.request = request;
		this.trials = request.trials();
	}

	public String id() {
		return this.id;
	}

	public RunRequest request() {
		return this.request;
	}

	public List<Trial> trials() {
		return this.trials;
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
