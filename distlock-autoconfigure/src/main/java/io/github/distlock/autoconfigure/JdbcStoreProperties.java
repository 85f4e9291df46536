package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.backend.jdbc.JdbcBackendSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Locks in a relational database. URL, credentials and the like are those of the
 * application's own DataSource.
 *
 * @param enabled Whether locks can be kept in the database beside the default store. The
 * store that distlock.backend names needs no switch.
 * @param mode How the database keeps a lock.
 * @param initializeSchema When to make the table distlock_lock at start-up.
 * @param dataSource Name of the DataSource bean to use when there are several, or when
 * locks shall have a pool of their own. Not set means the only or primary one.
 * @param pollInterval Mode lease: how often a waiting JVM looks again whether the lock is
 * free.
 * @param commandTimeout How long one lock command may take, and how long it may wait for
 * a connection of the pool. At most 5s.
 * @param maxConnections How many connections of the pool locks use at a time. In the mode
 * row each lock that is held or waited for has one.
 * @param reservedConnections Mode lease: how many connections of the pool are kept for
 * releases and renewals. Not set means 2, or fewer in a pool of less than 4, so that 2
 * are left to the application.
 */
@ConfigurationProperties("distlock.jdbc")
public record JdbcStoreProperties(@DefaultValue("false") boolean enabled, @DefaultValue("lease") Mode mode,
		@DefaultValue("embedded") DatabaseInitializationMode initializeSchema, @Nullable String dataSource,
		@DefaultValue("100ms") Duration pollInterval, @DefaultValue("2s") Duration commandTimeout,
		@DefaultValue("10") int maxConnections, @Nullable Integer reservedConnections) {

	private static final String COMMAND_TIMEOUT = "distlock.jdbc.command-timeout";

	private static final Duration LONGEST_COMMAND = Duration.ofSeconds(5);

	/**
	 * Check what can be checked without a store.
	 */
	public JdbcStoreProperties {
		PropertyChecks.atLeast(COMMAND_TIMEOUT, commandTimeout, Duration.ofMillis(100), "100ms",
				"Set a longer one, or remove the property to have 2s");
		if (commandTimeout.compareTo(LONGEST_COMMAND) > 0) {
			throw new InvalidPropertyException(COMMAND_TIMEOUT, commandTimeout.toMillis() + "ms",
					"it must be at most 5s, since locks that nobody uses are forgotten soon after",
					"Set a shorter one, or remove the property to have 2s");
		}
		PropertyChecks.atLeast("distlock.jdbc.poll-interval", pollInterval, Duration.ofMillis(10), "10ms",
				"Set a longer one, or remove the property to have 100ms");
		PropertyChecks.between("distlock.jdbc.max-connections", maxConnections, 1, 1000,
				"Remove the property to have 10");
		if (reservedConnections != null) {
			PropertyChecks.between("distlock.jdbc.reserved-connections", reservedConnections, 0, 100,
					"Remove the property to have 2");
		}
	}

	JdbcBackendSettings toSettings(DistlockProperties properties) {
		PropertyChecks.notLess("distlock.backend-timeout", properties.backendTimeout(), COMMAND_TIMEOUT,
				this.commandTimeout);
		return new JdbcBackendSettings(properties.keyPrefix(), this.commandTimeout, this.pollInterval,
				this.maxConnections, properties.handoff().budget() + 1, this.reservedConnections);
	}

	/**
	 * How the database keeps a lock.
	 */
	public enum Mode {

		/** A row with an owner and a lease by the clock of the database. */
		LEASE,

		/** The row lock of an open transaction. */
		ROW

	}

}
