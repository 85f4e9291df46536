package io.github.distlock.autoconfigure;

import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisLockBackend;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration of the store in Redis, over the application's own
 * {@link RedisConnectionFactory}. A missing connection factory is no condition but an
 * error, told when the store is needed: only so can it be told at all.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnMissingBean({ LockBackend.class, LockRegistry.class })
@EnableConfigurationProperties(DistlockProperties.class)
@ImportRuntimeHints(RedisScriptHints.class)
public final class DistlockRedisAutoConfiguration {

	/** Lazy, since nobody needs it when locks are switched off. */
	@Bean
	@Lazy
	LockBackend distlockRedisBackend(DistlockProperties properties, ListableBeanFactory beanFactory) {
		return new RedisLockBackend(connectionFactory(properties, beanFactory), properties.toRedisSettings(),
				TimeSource.SYSTEM);
	}

	@Bean
	@Lazy
	LockStoreLocation distlockRedisLocation(DistlockProperties properties, ListableBeanFactory beanFactory) {
		return new RedisLocation(connectionFactory(properties, beanFactory));
	}

	private static RedisConnectionFactory connectionFactory(DistlockProperties properties,
			ListableBeanFactory beanFactory) {
		return new RedisConnectionFactorySelector(beanFactory).select(properties.redis().connectionFactory());
	}

}
