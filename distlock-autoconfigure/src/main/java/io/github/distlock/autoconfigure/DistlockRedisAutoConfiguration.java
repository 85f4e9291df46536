package io.github.distlock.autoconfigure;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisLockBackend;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration for the backend in Redis, with the {@link RedisConnectionFactory} of
 * the application. A missing connection factory is not a condition, because a backend
 * that silently backs off could not report it: it is an error when the backend is
 * created.
 */
@AutoConfiguration(before = DistlockAutoConfiguration.class,
		afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
				"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@ConditionalOnBackend(Backend.REDIS)
@ConditionalOnClass(RedisConnectionFactory.class)
@EnableConfigurationProperties({ DistlockProperties.class, RedisStoreProperties.class })
public final class DistlockRedisAutoConfiguration {

	private static final ApplicationBeanSelector<RedisConnectionFactory> CONNECTIONS = new ApplicationBeanSelector<>(
			RedisConnectionFactory.class, "distlock.redis.connection-factory",
			"Do not exclude DataRedisAutoConfiguration, and set spring.data.redis.host");

	/** Lazy, since it is not needed if locks are switched off. */
	@Bean
	@Lazy
	@Qualifier("redis")
	LockBackend distlockRedisLockBackend(DistlockProperties properties, RedisStoreProperties redis,
			ListableBeanFactory beanFactory) {
		return new RedisLockBackend(CONNECTIONS.select(beanFactory, redis.connectionFactory()),
				redis.toSettings(properties), TimeSource.SYSTEM);
	}

}
