package io.github.distlock.torture.worker;

/**
 * What a thread of a worker does at the moment; told on standard output as
 * {@code @thread PHASE leaseMillis}, so that the nemesis can aim.
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
