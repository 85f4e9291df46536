package io.github.distlock.backend.jdbc;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a JDBC store.
 *
 * @param keyPrefix the beginning of every key; at most 256 bytes
 * @param commandTimeout how long a command may take, including the time in which it waits
 * for a connection; from 250 ms to 5 s
 * @param pollInterval mode {@code lease}: how often a waiting JVM retries
 * @param tokensPerGrant mode {@code lease}: how many fencing tokens a grant covers; the
 * lock can be passed on inside the JVM one time less
 * @param poolSize mode {@code lease}: how many connections the store has; at least 2
 * @param maxConnections mode {@code connection}: how many locks can be held or waited
 * for, each with a connection
 * @param notifications mode {@code lease} on PostgreSQL: whether JVMs notify each other
 * of releases
 * @param tables the name of the table
 * @param creation the part of a sentence that says why the creation of the table has
 * failed, empty if it has not
 */
public record JdbcBackendSettings(String keyPrefix, Duration commandTimeout, Duration pollInterval, int tokensPerGrant,
		int poolSize, int maxConnections, boolean notifications, TableNames tables, String creation) {

	/** How long a statement of the mode {@code lease} waits for a locked row. */
	Duration rowWait() {
		return this.commandTimeout.multipliedBy(3).dividedBy(4);
	}

	/**
	 * The name of the table.
	 *
	 * @param schema the schema, {@code null} for the default one of the connections
	 * @param prefix the beginning of the name of the table
	 */
	public record TableNames(@Nullable String schema, String prefix) {

		/** The table {@code distlock_lock}. */
		public static final TableNames DEFAULT = new TableNames(null, "distlock_");

		/**
		 * Return the name of the table of the locks.
		 * @return the name, after the schema if there is one
		 */
		public String lock() {
			return qualifier() + "lock";
		}

		private String qualifier() {
			return ((this.schema != null) ? this.schema + '.' : "") + this.prefix;
		}

		/**
		 * Replace the default name of the table in SQL.
		 * @param sql the SQL with the default name
		 * @return the SQL with this name
		 */
		public String applyTo(String sql) {
			return sql.replaceAll("\\bdistlock_(lock|fence)\\b", qualifier() + "$1");
		}

	}

}
