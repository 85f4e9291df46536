package io.github.distlock.backend.redis;

import java.time.Duration;

/**
 * How the Redis store works.
 *
 * @param keyPrefix what every key and channel begins with; without braces
 * @param commandTimeout how long one lock command may take
 * @param dedicatedConnection whether to open a connection of our own, from the
 * configuration of the application's, where the driver is Lettuce
 * @param tokensPerGrant how many fencing tokens one grant covers: one more than the lock
 * is passed on inside a JVM
 */
public record RedisBackendSettings(String keyPrefix, Duration commandTimeout, boolean dedicatedConnection,
		int tokensPerGrant) {
}
