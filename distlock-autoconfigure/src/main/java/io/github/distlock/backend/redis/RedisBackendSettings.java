package io.github.distlock.backend.redis;

import java.time.Duration;

/**
 * Settings of the Redis store.
 *
 * @param keyPrefix the prefix of every key and channel; without braces
 * @param commandTimeout the time-out of one lock command
 * @param dedicatedConnection whether to open connections of the store's own if the driver
 * is Lettuce, made from the configuration of the application's connection factory
 * @param tokensPerGrant number of fencing tokens of one grant: one more than the number
 * of local hand-offs
 */
public record RedisBackendSettings(String keyPrefix, Duration commandTimeout, boolean dedicatedConnection,
		int tokensPerGrant) {
}
