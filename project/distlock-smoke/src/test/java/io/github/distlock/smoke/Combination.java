package io.github.distlock.smoke;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

import io.lettuce.core.LettuceVersion;

import org.springframework.boot.SpringBootVersion;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * What a node runs with.
 *
 * @param springBoot version of Spring Boot
 * @param java version of Java
 * @param threads kind of the threads
 * @param driver Redis driver and its version
 * @param server Redis server and its version
 */
record Combination(String springBoot, String java, String threads, String driver, String server) {

	static Combination of(SmokeNode node) {
		boolean virtual = Boolean.getBoolean("spring.threads.virtual.enabled");
		return new Combination(SpringBootVersion.getVersion(), System.getProperty("java.version"),
				virtual ? "virtual" : "platform", driver(node.bean(RedisConnectionFactory.class)),
				server(node.redisInfo()));
	}

	private static String driver(RedisConnectionFactory connections) {
		return (connections instanceof JedisConnectionFactory) ? "Jedis " + jedisVersion()
				: "Lettuce " + LettuceVersion.getVersion().replaceAll("[/-].*|[.]RELEASE", "");
	}

	private static String jedisVersion() {
		try {
			return PropertiesLoaderUtils.loadProperties(new ClassPathResource("redis/clients/jedis/pom.properties"))
				.getProperty("version", "of an unknown version");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Valkey gives the version of a compatible Redis as well. */
	private static String server(Properties info) {
		String valkey = info.getProperty("valkey_version");
		return (valkey != null) ? "Valkey " + valkey : "Redis " + info.getProperty("redis_version");
	}

}
