package io.github.distlock.torture.nemesis;

import java.util.EnumSet;
import java.util.Set;

/**
 * What the nemesis can do.
 */
public enum FaultKind {

	/** Break the connections that send commands. */
	KILL_NORMAL,

	/** Break the connections that listen. */
	KILL_PUBSUB,

	/** Let the server answer nobody for a while. */
	CLIENT_PAUSE,

	/** Forget all scripts. */
	SCRIPT_FLUSH,

	/** Forget all data. */
	FLUSH_ALL,

	/** Restart the server without its data. */
	RESTART,

	/** Let the server refuse to grow. */
	OUT_OF_MEMORY,

	/** Stop the server's process for a while. */
	STALL,

	/** Let commands arrive but no answers come back, and break the connections then. */
	LOSE_REPLIES,

	/**
	 * Break the connections of one JVM, and let what it had sent arrive when it has given
	 * up.
	 */
	LATE_COPIES,

	/** Break the connections of one JVM. */
	CUT,

	/** Let one JVM reach nothing for a while. */
	REFUSE,

	/** Take away one JVM's subscription without telling it. */
	HALF_OPEN,

	/** Let the commands and the answers of one JVM take their time. */
	SLOW,

	/** Kill a JVM that holds a lock. */
	KILL_HOLDER,

	/** Kill a JVM that calls for a lock. */
	KILL_ACQUIRING,

	/** Kill a JVM that releases a lock. */
	KILL_RELEASING,

	/** Stop a JVM that holds a lock, for a part of the lease or beyond it. */
	PAUSE_HOLDER,

	/** Stop a JVM that calls for a lock. */
	PAUSE_ACQUIRING,

	/** Stop a JVM that releases a lock. */
	PAUSE_RELEASING,

	/** Stop a JVM when it is about to renew. */
	PAUSE_RENEWING;

	/** Everything. */
	public static final Set<FaultKind> ALL = EnumSet.allOf(FaultKind.class);

	/**
	 * Return whether the store forgets what it has acknowledged.
	 * @return whether it does
	 */
	public boolean losesData() {
		return this == FLUSH_ALL || this == RESTART;
	}

	/**
	 * Return a part of the faults.
	 * @param first one
	 * @param others more
	 * @return the set
	 */
	public static Set<FaultKind> only(FaultKind first, FaultKind... others) {
		return EnumSet.of(first, others);
	}

}
