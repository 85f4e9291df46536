package io.github.distlock.backend.jdbc;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Decides how many connections the lease mode reserves, and logs it.
 */
final class ReservedConnectionCount {

	private static final Log logger = LogFactory.getLog(ReservedConnectionCount.class);

	private static final int USUAL = 2;

	/** How many connections the default leaves to the application at least. */
	private static final int LEFT = 2;

	private static final String PROPERTY = "distlock.jdbc.reserved-connections";

	private static final String REMEDY = "callers that are inside a transaction may keep all connections of the pool,"
			+ " and locks can then be neither released nor renewed. ";

	private final LockDataSource source;

	private final @Nullable Integer configured;

	private final int maxConnections;

	private ReservedConnectionCount(LockDataSource source, @Nullable Integer configured, int maxConnections) {
		this.source = source;
		this.configured = configured;
		this.maxConnections = maxConnections;
	}

	/** As many as the settings say, or the default. */
	static ReservedConnectionCount configured(LockDataSource source, JdbcBackendSettings settings) {
		return new ReservedConnectionCount(source, settings.reservedConnections(), settings.maxConnections());
	}

	/** No connections at all. */
	static ReservedConnectionCount none(LockDataSource source) {
		return new ReservedConnectionCount(source, 0, 0);
	}

	/** No more than this will be reserved. */
	int most() {
		return (this.configured != null) ? this.configured : USUAL;
	}

	/** Return how many, or {@code null} if the pool may tell its size later. */
	@Nullable Integer now() {
		boolean undecided = most() > 0 && this.source.pool().tellsItsSizeLater();
		return undecided ? null : afterFirstUse();
	}

	/** Return how many. The pool has been used, if it can be. */
	int afterFirstUse() {
		Integer size = this.source.pool().size();
		if (this.configured != null) {
			return (size != null) ? Math.min(this.configured, Math.max(0, size - 1)) : this.configured;
		}
		return (size != null) ? Math.max(0, Math.min(Math.min(USUAL, size - LEFT), this.maxConnections)) : 0;
	}

	/** Log how many are reserved, and warn if there should be more. */
	void report(int reserved) {
		Integer size = this.source.pool().size();
		String place = this.source.describe();
		if (this.configured != null && reserved < this.configured) {
			logger.warn(PROPERTY + " is " + this.configured + ", but only " + reserved
					+ " can be reserved and leave one to the application in " + place + ". Raise the size of the pool"
					+ " (spring.datasource.hikari.maximum-pool-size) or lower the property");
		}
		else if (reserved > 0) {
			logger.info("The lock store reserves " + reserved + ((reserved == 1) ? " connection" : " connections")
					+ " of " + place + " for releases and renewals (" + PROPERTY + ")");
		}
		else if (this.configured != null || this.source.pool().isUnpooled()) {
			logger.debug("The lock store reserves no connections of " + place);
		}
		else if (size != null) {
			logger.warn("The lock store reserves no connection of " + place + ", since the pool is too small: " + REMEDY
					+ "Raise its size to 3 or more (spring.datasource.hikari.maximum-pool-size), name a DataSource of"
					+ " its own for the locks (distlock.jdbc.data-source), or set " + PROPERTY + "=0");
		}
		else {
			logger.warn("The lock store reserves no connection of " + place + ", since the size of that pool is not"
					+ " known: " + REMEDY + "Set " + PROPERTY + " to 2, or to 0 if the pool has connections to spare");
		}
	}

}
