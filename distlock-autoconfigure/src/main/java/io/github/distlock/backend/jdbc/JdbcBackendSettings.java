package io.github.distlock.backend.jdbc;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a JDBC store.
 *
 * @param keyPrefix the beginning of every key; at most 256 bytes
 * @param commandTimeout how long a command may take, and how long it may wait for a
 * connection; at most 5 s
 * @param pollInterval mode {@code lease}: how often a waiting JVM retries
 * @param maxConnections how many connections the store uses at a time
 * @param tokensPerGrant mode {@code lease}: how many fencing tokens a grant covers; the
 * lock can be passed on inside the JVM one time less
 * @param reservedConnections mode {@code lease}: how many connections of the pool the
 * store keeps for releases and renewals; {@code null} means 2, or fewer if the pool is so
 * small that less than 2 would be left to the application
 * @param notifications mode {@code lease} on PostgreSQL: whether JVMs notify each other
 * of releases
 */
public record JdbcBackendSettings(String keyPrefix, Duration commandTimeout, Duration pollInterval, int maxConnections,
		int tokensPerGrant, @Nullable Integer reservedConnections, boolean notifications) {

	/**
	 * Create settings with the default number of reserved connections.
	 * @param keyPrefix the beginning of every key; at most 256 bytes
	 * @param commandTimeout how long a command may take; at most 5 s
	 * @param pollInterval mode {@code lease}: how often a waiting JVM retries
	 * @param maxConnections how many connections the store uses at a time
	 * @param tokensPerGrant mode {@code lease}: how many fencing tokens a grant covers
	 */
	public JdbcBackendSettings(String keyPrefix, Duration commandTimeout, Duration pollInterval, int maxConnections,
			int tokensPerGrant) {
		this(keyPrefix, commandTimeout, pollInterval, maxConnections, tokensPerGrant, null, true);
	}

}
