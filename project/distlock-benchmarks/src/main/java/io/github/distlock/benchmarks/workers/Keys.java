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

	/** All threads the same key, which five may hold at the same time. */
	SHARED;

	/** Whether all threads use one key. */
	boolean isOne() {
		return this == ONE || this == TRIED || this == SHARED;
	}

	/**
	 * Return how many threads may hold a key at once.
	 * @return 1 for a lock
	 */
	public int holders() {
		return (this == SHARED) ? 5 : 1;
	}

}
