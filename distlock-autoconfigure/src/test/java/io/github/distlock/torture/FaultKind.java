package io.github.distlock.torture;

import java.util.EnumSet;
import java.util.Set;

/**
 * The kinds of faults that the nemesis can inject.
 */
enum FaultKind {

	/** Break the connections that send commands. */
	KILL_NORMAL,

	/** Break the connections that subscribe. */
	KILL_PUBSUB,

	/** Let the server answer no command for a while. */
	CLIENT_PAUSE,

	/** Remove all scripts from the server. */
	SCRIPT_FLUSH,

	/** Remove all data from the server. */
	FLUSH_ALL,

	/** Restart the server without its data. */
	RESTART,

	/** Kill the server, and restart it with its data. */
	CRASH,

	/** Let the server run out of memory. */
	OUT_OF_MEMORY,

	/** Stop the server's process for a while. */
	STALL,

	/** Deliver commands but not their replies, and break the connections then. */
	LOSE_REPLIES,

	/**
	 * Break the connections of one JVM, and deliver the commands it has sent after it has
	 * given up.
	 */
	LATE_COPIES,

	/** Break the connections of one JVM. */
	CUT,

	/** Disconnect one JVM for a while. */
	REFUSE,

	/** Remove one JVM's subscription without notifying it. */
	HALF_OPEN,

	/** Delay the commands and the replies of one JVM. */
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

	/** All kinds of faults. */
	static final Set<FaultKind> ALL = EnumSet.allOf(FaultKind.class);

	/** Whether the store forgets what it has acknowledged. */
	boolean losesData() {
		return this == FLUSH_ALL || this == RESTART;
	}

}
