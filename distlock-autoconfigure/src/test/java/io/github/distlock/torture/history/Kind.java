package io.github.distlock.torture.history;

/**
 * What an event of a history says. In brackets the values that it carries.
 */
public enum Kind {

	/**
	 * A worker calls for a lock [a, key, how, lease and wait in ms, wait -1 for ever,
	 * fair, mode].
	 */
	START,

	/** The call has begun to wait [a]. */
	WAITING,

	/**
	 * The call has returned with the lock [a, token, rem]: at the time of this event it
	 * was valid for {@code rem} nanoseconds.
	 */
	GRANTED,

	/** It is still valid for {@code rem} nanoseconds [a, rem]. */
	CHECK,

	/** The section begins [a]. */
	ENTER,

	/** The section ends [a]. */
	EXIT,

	/** The release is called [a]. */
	RELEASE,

	/** The release has returned [a, how: ok, lost, or an exception]. */
	RELEASED,

	/** The call has ended without the lock [a, how]. */
	ENDED,

	/** The library says that a lock was lost [key, token, reason]. */
	LOST,

	/** Somebody unlocked what was not held [key, what, threw]. */
	UNHELD,

	/** A worker has stopped [idle, threads]. */
	IDLE,

	/**
	 * The resource was used [key, token, a, op: read, write, or look of a reader, ok].
	 */
	ACCESS,

	/** The nemesis begins [id, name, worker or all, loses]. */
	FAULT,

	/** The nemesis has made good [id]. */
	HEALED,

	/** A worker's process has ended by force [worker]. */
	KILLED,

	/** What the store says of a key, when that has changed [key, owner, last]. */
	STORE,

	/** After everybody has stopped [keys, names]. */
	LEFT_OVER

}
