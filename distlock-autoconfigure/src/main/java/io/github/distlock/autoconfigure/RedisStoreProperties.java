package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.autoconfigure.DistlockProperties.Handoff;
import io.github.distlock.backend.redis.RedisBackendSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks in Redis. Host and credentials are those of the application's own connection.
 *
 * @param enabled Whether Redis is enabled as an additional store. Not required if
 * distlock.backend or distlock.composite names it.
 * @param commandTimeout How long one lock command may take. Less than a third of
 * distlock.lease-time.
 * @param dedicatedConnection Whether lock commands use a separate connection, so that
 * renewals do not queue behind slow commands. It is created from the configuration of the
 * application's connection. Supported with Lettuce only.
 * @param connectionFactory Name of the RedisConnectionFactory bean to use if there are
 * several. Not set: the only or primary one. A bean for locks alone needs
 * defaultCandidate = false, or that of Spring Boot backs off.
 */
@ConfigurationProperties("distlock.redis")
public record RedisStoreProperties(@DefaultValue("false") boolean enabled, @DefaultValue("1s") Duration commandTimeout,
		@DefaultValue("true") boolean dedicatedConnection, @Nullable String connectionFactory) {

	private static final String COMMAND_TIMEOUT = "distlock.redis.command-timeout";

	/**
	 * Check what can be checked without a store.
	 */
	public RedisStoreProperties {
		PropertyChecks.atLeastMillis(COMMAND_TIMEOUT, commandTimeout, 1, "1s");
	}

	RedisBackendSettings toSettings(DistlockProperties properties) {
		PropertyChecks.notLess("distlock.backend-timeout", properties.backendTimeout(), COMMAND_TIMEOUT,
				this.commandTimeout);
		PropertyChecks.ofLease(COMMAND_TIMEOUT, this.commandTimeout, properties.leaseTime());
		return new RedisBackendSettings(properties.keyPrefix(), this.commandTimeout, this.dedicatedConnection,
				Handoff.TOKENS_PER_GRANT);
	}

}
