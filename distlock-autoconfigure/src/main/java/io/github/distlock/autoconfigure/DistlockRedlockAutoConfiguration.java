package io.github.distlock.autoconfigure;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.RedlockBackend;
import io.lettuce.core.RedisClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Auto-configuration for the backend on several Redis masters. Spring Boot configures
 * only one Redis, so each of these masters has an address of its own.
 */
@AutoConfiguration(before = DistlockAutoConfiguration.class)
@ConditionalOnBackend(Backend.REDLOCK)
@ConditionalOnClass({ LettuceConnectionFactory.class, RedisClient.class })
@EnableConfigurationProperties({ DistlockProperties.class, RedlockStoreProperties.class })
public final class DistlockRedlockAutoConfiguration {

	@Bean
	@Lazy
	RedlockConnections distlockRedlockConnections(ObjectProvider<SslBundles> bundles) {
		return new RedlockConnections(bundles);
	}

	/** Lazy, since it is not needed if locks are switched off. */
	@Bean
	@Lazy
	@Qualifier("redlock")
	LockBackend distlockRedlockLockBackend(DistlockProperties properties, RedlockStoreProperties redlock,
			RedlockConnections connections) {
		return new RedlockBackend(connections.nodes(properties, redlock), redlock.toSettings(properties),
				TimeSource.SYSTEM);
	}

}
