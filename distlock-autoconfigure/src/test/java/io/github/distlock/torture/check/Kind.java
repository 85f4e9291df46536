package io.github.distlock.torture.check;

/** The kind of an event, with its values in brackets. */
public enum Kind {

	/**
	 * A worker calls for a lock [a, key, how, lease and wait in ms, renewed, wait -1 for
	 * no limit, fair, mode, permits 0 for no limit].
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

	/** The release is called [a, held: whether the lock is not known to be lost]. */
	RELEASE,

	/** The release has returned [a, how: ok, lost, or an exception]. */
	RELEASED,

	/** The call has ended without the lock [a, how]. */
	ENDED,

	/**
	 * The library says that a lock was lost [key, token, reason, cause: a constant of
	 * LossCause].
	 */
	LOST,

	/** A lock that was not held was unlocked [key, what, threw]. */
	UNHELD,

	/** A worker has stopped [idle, threads]. */
	IDLE,

	/**
	 * The resource was used [key, token, a, op: read, write, or look of a reader, ok].
	 */
	ACCESS,

	/** A fault begins [id, name, worker or all, loses]. */
	FAULT,

	/** The system has recovered from a fault [id]. */
	HEALED,

	/** A worker's process was killed [worker]. */
	KILLED,

	/** The owner of a key in the store has changed [key, owner, last]. */
	STORE,

	/** The keys in the store after all workers have stopped [keys, names]. */
	LEFT_OVER,

	/**
	 * The locks of this store last until the session of their JVM has ended, whatever
	 * their lease [millis: how long that takes at most after the death of the JVM].
	 */
	SESSIONS,

	/**
	 * A session of this store may end before the deadline that its holder knows, and the
	 * lock with it [store]. A holder that has been told of that holds nothing any more.
	 */
	ENDS_EARLY,

	/**
	 * The waiting JVMs poll this store: it does not order them, and has no readers
	 * [store].
	 */
	POLLED

}
