package io.github.distlock.backend.jdbc;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Determines how many connections the mode {@code lease} reserves, and logs the number.
 */
final class ReservedConnectionCount {

	private static final Log logger = LogFactory.getLog(ReservedConnectionCount.class);

	private static final int DEFAULT = 2;

	/** Number of connections that the default leaves to the application. */
	private static final int LEFT_BY_DEFAULT = 2;

	private static final String PROPERTY = "distlock.jdbc.reserved-connections";

	private static final String CONSEQUENCE = "callers inside transactions may use all connections of the pool,"
			+ " and locks can then be neither released nor renewed. ";

	private final LockDataSource dataSource;

	private final @Nullable Integer configured;

	private final int maxConnections;

	private ReservedConnectionCount(LockDataSource dataSource, @Nullable Integer configured, int maxConnections) {
		this.dataSource = dataSource;
		this.configured = configured;
		this.maxConnections = maxConnections;
	}

	/** The number from the settings, or the default. */
	static ReservedConnectionCount configured(LockDataSource dataSource, JdbcBackendSettings settings) {
		return new ReservedConnectionCount(dataSource, settings.reservedConnections(), settings.maxConnections());
	}

	/** No reserved connections. */
	static ReservedConnectionCount none(LockDataSource dataSource) {
		return new ReservedConnectionCount(dataSource, 0, 0);
	}

	/** Return the upper limit, which does not depend on the pool. */
	int maximum() {
		return (this.configured != null) ? this.configured : DEFAULT;
	}

	/**
	 * Return the number, or {@code null} if the size of the pool may become known later.
	 */
	@Nullable Integer now() {
		boolean undecided = maximum() > 0 && this.dataSource.pool().isSizeKnownLater();
		return undecided ? null : afterFirstUse();
	}

	/** Return the number, now that the pool has been used if that is possible. */
	int afterFirstUse() {
		Integer size = this.dataSource.pool().size();
		if (this.configured != null) {
			return (size != null) ? Math.min(this.configured, Math.max(0, size - 1)) : this.configured;
		}
		return (size != null) ? Math.max(0, Math.min(Math.min(DEFAULT, size - LEFT_BY_DEFAULT), this.maxConnections))
				: 0;
	}

	/**
	 * Return whether one more connection may be kept, to listen to notifications, so that
	 * enough are left to the application.
	 */
	boolean leavesRoomForListener() {
		Integer size = this.dataSource.pool().size();
		return (size != null) ? size - afterFirstUse() - 1 >= LEFT_BY_DEFAULT : this.dataSource.pool().isUnpooled();
	}

	/** Log the number of reserved connections, and warn if it is too low. */
	void report(int reserved) {
		Integer size = this.dataSource.pool().size();
		String pool = this.dataSource.describe();
		if (this.configured != null && reserved < this.configured) {
			logger.warn(PROPERTY + " is " + this.configured + ", but only " + reserved
					+ " can be reserved, since one connection must be left to the application in " + pool
					+ ". Increase the size of the pool (spring.datasource.hikari.maximum-pool-size) or decrease the"
					+ " property");
		}
		else if (reserved > 0) {
			logger.info("The lock store reserves " + reserved + ((reserved == 1) ? " connection" : " connections")
					+ " of " + pool + " for releases and renewals (" + PROPERTY + ")");
		}
		else if (this.configured != null || this.dataSource.pool().isUnpooled()) {
			logger.debug("The lock store reserves no connections of " + pool);
		}
		else if (size != null) {
			logger.warn("The lock store reserves no connection of " + pool + ", since the pool is too small: "
					+ CONSEQUENCE
					+ "Increase its size to 3 or more (spring.datasource.hikari.maximum-pool-size), configure a separate"
					+ " DataSource for the locks (distlock.jdbc.data-source), or set " + PROPERTY + "=0");
		}
		else {
			logger.warn("The lock store reserves no connection of " + pool + ", since the size of the pool is"
					+ " unknown: " + CONSEQUENCE + "Set " + PROPERTY
					+ " to 2, or to 0 if the pool is always large enough");
		}
	}

}
