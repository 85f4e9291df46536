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
	ONE,

	/**
	 * All threads the same key: those of the first worker again and again, those of the
	 * others try it once every ten milliseconds.
	 */
	TRIED,

	/** All threads the same key, which several may hold at the same time. */
	SHARED;

	/** Whether all threads use one key. */
	boolean isOne() {
		return this == ONE || this == TRIED || this == SHARED;
	}

}
