package io.github.distlock.backend.jdbc;

import java.time.Duration;

/**
 * How a JDBC store works.
 *
 * @param keyPrefix what every key begins with; at most 256 bytes
 * @param commandTimeout how long one lock command may take, and how long it may wait for
 * a connection; at most 5 s
 * @param pollInterval mode lease: how often a waiting JVM looks again
 * @param maxConnections how many connections the store uses at a time
 * @param tokensPerGrant how many fencing tokens one grant covers: one more than the lock
 * is passed on inside a JVM
 */
public record JdbcBackendSettings(String keyPrefix, Duration commandTimeout, Duration pollInterval, int maxConnections,
		int tokensPerGrant) {
}
