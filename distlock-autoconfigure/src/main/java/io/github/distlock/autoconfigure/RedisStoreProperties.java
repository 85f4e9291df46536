package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.backend.redis.RedisBackendSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks in Redis. Host, credentials and the like are those of the application's own
 * connection.
 *
 * @param enabled Whether locks can be kept in Redis beside the default store. The store
 * that distlock.backend names needs no switch.
 * @param commandTimeout How long one lock command may take.
 * @param dedicatedConnection Whether lock commands have a connection of their own, made
 * from the configuration of the application's, so that renewals do not queue behind slow
 * commands. Has an effect with Lettuce only.
 * @param connectionFactory Name of the RedisConnectionFactory bean to use when there are
 * several. Not set means the only or primary one.
 */
@ConfigurationProperties("distlock.redis")
public record RedisStoreProperties(@DefaultValue("false") boolean enabled, @DefaultValue("1s") Duration commandTimeout,
		@DefaultValue("true") boolean dedicatedConnection, @Nullable String connectionFactory) {

	private static final String COMMAND_TIMEOUT = "distlock.redis.command-timeout";

	/**
	 * Check what can be checked without a store.
	 */
	public RedisStoreProperties {
		PropertyChecks.atLeast(COMMAND_TIMEOUT, commandTimeout, Duration.ofMillis(1), "1ms",
				"Set a longer one, or remove the property to have 1s");
	}

	RedisBackendSettings toSettings(DistlockProperties properties) {
		PropertyChecks.notLess("distlock.backend-timeout", properties.backendTimeout(), COMMAND_TIMEOUT,
				this.commandTimeout);
		return new RedisBackendSettings(properties.keyPrefix(), this.commandTimeout, this.dedicatedConnection,
				properties.handoff().budget() + 1);
	}

}
