package io.github.distlock.autoconfigure;

import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Finds the connection factory that the application means.
 */
record RedisConnectionFactorySelector(ListableBeanFactory beanFactory) {

	private static final String PROPERTY = "distlock.redis.connection-factory";

	RedisConnectionFactory select(@Nullable String beanName) {
		String[] names = this.beanFactory.getBeanNamesForType(RedisConnectionFactory.class);
		if (StringUtils.hasText(beanName)) {
			return named(beanName, names);
		}
		if (names.length == 0) {
			throw new LockStoreMissingException("distlock keeps its locks in Redis, and there is no "
					+ "RedisConnectionFactory bean. Spring Boot makes one from spring.data.redis.* unless its "
					+ "auto-configuration was excluded, or there is no Redis client on the class path.", """
							Do one of these:
							- do not exclude DataRedisAutoConfiguration, and set spring.data.redis.host
							- define a RedisConnectionFactory bean, or a LockBackend bean of your own
							- set distlock.enabled=false to run without locks""");
		}
		RedisConnectionFactory factory = this.beanFactory.getBeanProvider(RedisConnectionFactory.class).getIfUnique();
		if (factory == null) {
			throw new LockStoreMissingException(
					"distlock keeps its locks in Redis, and there are " + names.length
							+ " RedisConnectionFactory beans, none of them primary: " + list(names) + ".",
					"Set " + PROPERTY + " to one of these names, or mark one of the beans with @Primary.");
		}
		return factory;
	}

	private RedisConnectionFactory named(String beanName, String[] names) {
		if (!this.beanFactory.containsBean(beanName)
				|| !this.beanFactory.isTypeMatch(beanName, RedisConnectionFactory.class)) {
			throw new LockStoreMissingException(
					"Property '" + PROPERTY + "' is '" + beanName
							+ "': there is no RedisConnectionFactory bean of that name.",
					(names.length > 0) ? "Set it to one of " + list(names) + ", or remove it."
							: "Define such a bean, or remove the property and set spring.data.redis.host.");
		}
		return this.beanFactory.getBean(beanName, RedisConnectionFactory.class);
	}

	private static String list(String[] names) {
		return Arrays.stream(names).sorted().map((name) -> "'" + name + "'").collect(Collectors.joining(", "));
	}

}
