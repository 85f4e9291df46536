package io.github.distlock.lab.runs;

import java.util.List;

/**
 * A run: some trials, one after the other. Safe for use by many threads.
 */
public final class Run {

	private final String id;

	private final RunSettings settings;

	private final List<Trial> trials;

	private volatile boolean stopped;

	/**
	 * Plan a run.
	 * @param id its name, of lower-case letters and digits
	 * @param settings what is to be tried
	 */
	public Run(String id, RunSettings settings) {
		this.id = id;
		this.settings = settings;
		this.trials = settings.trials();
	}

	public String id() {
		return this.id;
	}

	public RunSettings settings() {
		return this.settings;
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
