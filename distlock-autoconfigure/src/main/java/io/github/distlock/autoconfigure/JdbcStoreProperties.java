package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.backend.jdbc.JdbcBackendSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Locks in a relational database. URL and credentials are those of the application's own
 * DataSource.
 *
 * @param enabled Whether the database is enabled as an additional store. Not required if
 * distlock.backend or distlock.composite names it.
 * @param mode How the database stores a lock.
 * @param initializeSchema When to create the tables distlock_lock and distlock_instance
 * at startup.
 * @param dataSource Name of the DataSource bean to use if there are several, or if locks
 * use a connection pool of their own. Not set: the only or primary one.
 * @param pollInterval Mode lease: interval at which a waiting JVM checks whether the lock
 * is free.
 * @param commandTimeout How long one lock command may take, and how long it may wait for
 * a connection of the pool. At most 5s.
 * @param maxConnections Maximum number of connections of the pool that locks use at the
 * same time. In mode row, each lock that is held or waited for uses one.
 * @param reservedConnections Mode lease: number of connections of the pool that are
 * reserved for releases and renewals. Not set: 2, or fewer in a pool of less than 4, so
 * that the application keeps 2.
 * @param notifications Mode lease on PostgreSQL: whether a release notifies other JVMs
 * that wait (LISTEN and NOTIFY). A JVM whose callers wait uses one more connection of the
 * pool then.
 */
@ConfigurationProperties("distlock.jdbc")
public record JdbcStoreProperties(@DefaultValue("false") boolean enabled, @DefaultValue("lease") Mode mode,
		@DefaultValue("embedded") DatabaseInitializationMode initializeSchema, @Nullable String dataSource,
		@DefaultValue("100ms") Duration pollInterval, @DefaultValue("2s") Duration commandTimeout,
		@DefaultValue("10") int maxConnections, @Nullable Integer reservedConnections,
		@DefaultValue("true") boolean notifications) {

	private static final String COMMAND_TIMEOUT = "distlock.jdbc.command-timeout";

	private static final Duration LONGEST_COMMAND = Duration.ofSeconds(5);

	/**
	 * Check what can be checked without a store.
	 */
	public JdbcStoreProperties {
		PropertyChecks.atLeast(COMMAND_TIMEOUT, commandTimeout, Duration.ofMillis(100), "100ms",
				"Set a longer duration, or remove the property to use the default, 2s");
		if (commandTimeout.compareTo(LONGEST_COMMAND) > 0) {
			throw new InvalidPropertyException(COMMAND_TIMEOUT, commandTimeout.toMillis() + "ms",
					"it must be at most 5s, since rows of unused locks are deleted soon after",
					"Set a shorter duration, or remove the property to use the default, 2s");
		}
		PropertyChecks.atLeast("distlock.jdbc.poll-interval", pollInterval, Duration.ofMillis(10), "10ms",
				"Set a longer duration, or remove the property to use the default, 100ms");
		PropertyChecks.between("distlock.jdbc.max-connections", maxConnections, 1, 1000,
				"Remove the property to use the default, 10");
		if (reservedConnections != null) {
			PropertyChecks.between("distlock.jdbc.reserved-connections", reservedConnections, 0, 100,
					"Remove the property to use the default, 2");
		}
	}

	JdbcBackendSettings toSettings(DistlockProperties properties) {
		PropertyChecks.notLess("distlock.backend-timeout", properties.backendTimeout(), COMMAND_TIMEOUT,
				this.commandTimeout);
		return new JdbcBackendSettings(properties.keyPrefix(), this.commandTimeout, this.pollInterval,
				this.maxConnections, properties.handoff().budget() + 1, this.reservedConnections, this.notifications);
	}

	/**
	 * How the database keeps a lock.
	 */
	public enum Mode {

		/** A row with an owner and a lease, measured by the clock of the database. */
		LEASE,

		/** The row lock of an open transaction. */
		ROW

	}

}
