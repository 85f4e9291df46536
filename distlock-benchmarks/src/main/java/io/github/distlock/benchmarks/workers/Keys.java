package io.github.distlock.benchmarks.workers;

/**
 * What threads lock.
 */
public enum Keys {

	/** Each thread a key of its own, again and again. */
	OWN,

	/** Each thread another key in each cycle, one that was never locked before. */
	NEW,

	/** All threads the same key. */
	ONE

}
