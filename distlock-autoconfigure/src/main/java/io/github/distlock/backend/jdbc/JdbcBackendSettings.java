package io.github.distlock.backend.jdbc;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a JDBC store works.
 *
 * @param keyPrefix what every key begins with; at most 256 bytes
 * @param commandTimeout how long one lock command may take, and how long it may wait for
 * a connection; at most 5 s
 * @param pollInterval mode lease: how often a waiting JVM asks
 * @param maxConnections how many connections the store uses at a time
 * @param tokensPerGrant mode lease: how many fencing tokens one grant covers, which is
 * one more than the lock is passed on inside a JVM
 * @param reservedConnections mode lease: how many connections of the pool the store keeps
 * for releases and renewals; {@code null} means 2, or as many as leave 2 in a smaller
 * pool
 */
public record JdbcBackendSettings(String keyPrefix, Duration commandTimeout, Duration pollInterval, int maxConnections,
		int tokensPerGrant, @Nullable Integer reservedConnections) {

	/**
	 * Create settings with the default number of reserved connections.
	 * @param keyPrefix what every key begins with; at most 256 bytes
	 * @param commandTimeout how long one lock command may take; at most 5 s
	 * @param pollInterval mode lease: how often a waiting JVM asks
	 * @param maxConnections how many connections the store uses at a time
	 * @param tokensPerGrant mode lease: how many fencing tokens one grant covers
	 */
	public JdbcBackendSettings(String keyPrefix, Duration commandTimeout, Duration pollInterval, int maxConnections,
			int tokensPerGrant) {
		this(keyPrefix, commandTimeout, pollInterval, maxConnections, tokensPerGrant, null);
	}

}
