package io.github.distlock.torture;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The kinds of faults that the nemesis can inject. */
enum FaultKind {

	/** Break the connections that send commands, or those that subscribe. */
	KILL_NORMAL, KILL_PUBSUB,

	/** Let the server answer no command for a while. */
	CLIENT_PAUSE,

	/** Remove all scripts, or all data, from the server. */
	SCRIPT_FLUSH, FLUSH_ALL,

	/** Restart the server without its data; kill it, and restart it with its data. */
	RESTART, CRASH,

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

	/** Break the connections of one JVM; disconnect it for a while. */
	CUT, REFUSE,

	/** Remove one JVM's subscription without notifying it. */
	HALF_OPEN,

	/** Delay the commands and the replies of one JVM. */
	SLOW,

	/** Kill a JVM that holds a lock, calls for one, or releases one. */
	KILL_HOLDER, KILL_ACQUIRING, KILL_RELEASING,

	/**
	 * Stop a JVM that holds a lock, for a part of the lease or beyond it; that calls for
	 * one, or releases one; or that is about to renew.
	 */
	PAUSE_HOLDER, PAUSE_ACQUIRING, PAUSE_RELEASING, PAUSE_RENEWING;

	/** The kinds that are named, or all, or none. */
	static Set<FaultKind> parse(String names) {
		return switch (names) {
			case "all" -> EnumSet.allOf(FaultKind.class);
			case "none" -> Set.of();
			default ->
				Arrays.stream(names.split(",")).map(FaultKind::valueOf).collect(Collectors.toCollection(TreeSet::new));
		};
	}

	boolean losesData() {
		return this == FLUSH_ALL || this == RESTART;
	}

}
