package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.autoconfigure.DistlockProperties.Handoff;
import io.github.distlock.backend.jdbc.JdbcBackendSettings;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Locks in a relational database, with a small connection pool of their own. Its
 * configuration is that of the application's own DataSource.
 *
 * @param enabled Whether the database is enabled as an additional store. Not required if
 * distlock.backend or distlock.composite names it.
 * @param mode How the database stores a lock.
 * @param initializeSchema When to create the table distlock_lock at startup.
 * @param dataSource Name of the DataSource bean to use if there are several. Not set: the
 * only or primary one.
 * @param pollInterval Mode lease: interval at which a waiting JVM checks whether the lock
 * is free.
 * @param commandTimeout How long one lock command may take, including the time in which
 * it waits for a connection of the pool of the locks. From 250ms to 5s; in mode lease
 * less than a third of distlock.lease-time.
 * @param poolSize Mode lease: number of connections of the pool of the locks. One of them
 * serves releases and renewals only. At least 2.
 * @param maxConnections Mode connection: maximum number of locks that are held or waited
 * for, each of which uses a connection. The pool of the locks has one more.
 * @param notifications Mode lease on PostgreSQL: whether a release notifies other JVMs
 * that wait (LISTEN and NOTIFY). A JVM whose callers wait uses one more connection then.
 * @param schema Schema of the table. Not set: the default schema of the user.
 * @param tablePrefix Beginning of the name of the table, which is distlock_lock by
 * default. Letters, digits and underscores.
 */
@ConfigurationProperties("distlock.jdbc")
public record JdbcStoreProperties(@DefaultValue("false") boolean enabled, @DefaultValue("lease") Mode mode,
		@DefaultValue("embedded") DatabaseInitializationMode initializeSchema, @Nullable String dataSource,
		@DefaultValue("100ms") Duration pollInterval, @DefaultValue("2s") Duration commandTimeout,
		@DefaultValue("3") int poolSize, @DefaultValue("10") int maxConnections,
		@DefaultValue("true") boolean notifications, @Nullable String schema,
		@DefaultValue("distlock_") String tablePrefix) {

	private static final String COMMAND_TIMEOUT = "distlock.jdbc.command-timeout";

	/**
	 * Check what can be checked without a store.
	 */
	public JdbcStoreProperties {
		PropertyChecks.atLeastMillis(COMMAND_TIMEOUT, commandTimeout, 250, "2s");
		// Rows of unused locks are deleted soon after that.
		PropertyChecks.atMost(COMMAND_TIMEOUT, commandTimeout, Duration.ofSeconds(5),
				"Set a shorter duration, or remove the property to use the default, 2s");
		PropertyChecks.atLeastMillis("distlock.jdbc.poll-interval", pollInterval, 10, "100ms");
		PropertyChecks.between("distlock.jdbc.max-connections", maxConnections, 1, 1000,
				"Remove the property to use the default, 10");
		PropertyChecks.between("distlock.jdbc.pool-size", poolSize, 2, 100,
				"Remove the property to use the default, 3");
		if (schema != null) {
			PropertyChecks.name("distlock.jdbc.schema", schema,
					"Remove the property to use the default schema of the user");
		}
		PropertyChecks.name("distlock.jdbc.table-prefix", tablePrefix,
				"Remove the property to use the default, 'distlock_'");
	}

	JdbcBackendSettings toSettings(DistlockProperties properties, String creation) {
		PropertyChecks.notLess("distlock.backend-timeout", properties.backendTimeout(), COMMAND_TIMEOUT,
				this.commandTimeout);
		if (this.mode == Mode.LEASE) {
			PropertyChecks.ofLease(COMMAND_TIMEOUT, this.commandTimeout, properties.leaseTime());
		}
		return new JdbcBackendSettings(properties.keyPrefix(), this.commandTimeout, this.pollInterval,
				Handoff.TOKENS_PER_GRANT, this.poolSize, this.maxConnections, this.notifications, tables(), creation);
	}

	TableNames tables() {
		return new TableNames(this.schema, this.tablePrefix);
	}

	/**
	 * How the database keeps a lock.
	 */
	public enum Mode {

		/** A row with an owner and a lease, measured by the clock of the database. */
		LEASE,

		/**
		 * The database's own lock in an open transaction: an advisory lock on PostgreSQL,
		 * a locked row elsewhere.
		 */
		CONNECTION

	}

}
