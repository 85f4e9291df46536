package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The reserved connections that commands use. Not thread-safe: guarded by the lock of
 * {@link ReservedConnections}.
 */
final class LentConnections {

	/**
	 * Longer than any command: its validation, its statements and their repetitions, each
	 * ended by the network time-out.
	 */
	private static final long LOST_NANOS = Duration.ofMinutes(2).toNanos();

	/** Each connection is in use by one command, and is returned once. */
	private final Set<ReservedConnection> connections = new HashSet<>();

	/** Number of these connections that attempts use. */
	private int attempts;

	int attempts() {
		return this.attempts;
	}

	void add(ReservedConnection connection, boolean attempt, long nowNanos) {
		this.connections.add(connection);
		connection.lentToAttempt = attempt;
		connection.lentNanos = nowNanos;
		this.attempts += attempt ? 1 : 0;
	}

	/**
	 * Note that a connection was returned.
	 * @return whether it was lent; false if it was considered lost meanwhile
	 */
	boolean remove(ReservedConnection connection) {
		boolean lent = this.connections.remove(connection);
		this.attempts -= (lent && connection.lentToAttempt) ? 1 : 0;
		return lent;
	}

	List<ReservedConnection> all() {
		return new ArrayList<>(this.connections);
	}

	/**
	 * Return whether a connection was lent too long ago: an error, for example of the
	 * stack of a caller, has prevented its return.
	 */
	static boolean isLost(ReservedConnection connection, long nowNanos) {
		return nowNanos - connection.lentNanos >= LOST_NANOS;
	}

}
