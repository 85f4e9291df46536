package io.github.distlock.torture.worker;

/**
 * The current phase of a worker's thread. Reported on standard output as {@code @thread
 * PHASE leaseMillis}, so that the nemesis can select a worker.
 */
public enum Phase {

	/** Between two attempts. */
	IDLE,

	/** The call for the lock has not returned. */
	ACQUIRING,

	/** The lock is held. */
	INSIDE,

	/** The call for the release has not returned. */
	RELEASING

}
