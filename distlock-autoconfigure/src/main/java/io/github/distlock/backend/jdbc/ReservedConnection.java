package io.github.distlock.backend.jdbc;

/**
 * A connection that the store keeps. Used by one thread at a time: the lock of
 * {@link ReservedConnections} passes it on.
 */
final class ReservedConnection {

	final LockConnection connection;

	/** When the connection was taken from the pool. */
	final long takenNanos;

	/** Number of database failures that were known when the connection was taken. */
	final int failures;

	/** When the database last answered on this connection. */
	long provenNanos;

	/** Whether an attempt uses this connection. */
	boolean lentToAttempt;

	/** When the connection was lent to a command. */
	long lentNanos;

	ReservedConnection(LockConnection connection, int failures, long nowNanos) {
		this.connection = connection;
		this.failures = failures;
		this.takenNanos = nowNanos;
		this.provenNanos = nowNanos;
	}

}
