package io.github.distlock.backend.jdbc;

/**
 * A connection that the store keeps. Belongs to one thread, or to the reserve while it is
 * idle, whose lock hands it on.
 */
final class ReservedConnection {

	final LockConnection connection;

	/** When it was taken from the pool. */
	final long takenNanos;

	/** How many failures of the database the reserve had seen by then. */
	final int failures;

	/** When the database last answered on it. */
	long provenNanos;

	/** Whether an attempt uses it. */
	boolean lentToAttempt;

	ReservedConnection(LockConnection connection, int failures, long nowNanos) {
		this.connection = connection;
		this.failures = failures;
		this.takenNanos = nowNanos;
		this.provenNanos = nowNanos;
	}

}
