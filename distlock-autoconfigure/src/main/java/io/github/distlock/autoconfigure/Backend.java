package io.github.distlock.autoconfigure;

import java.util.Locale;

import org.springframework.util.StringUtils;

/**
 * Backends that {@code distlock.backend} can name.
 */
public enum Backend {

	/** The Redis of the application. */
	REDIS("org.springframework.data.redis.connection.RedisConnectionFactory",
			"io.github.distlock:distlock-spring-boot-starter, which includes the Redis client"),

	/** Several independent Redis masters. */
	REDLOCK("io.lettuce.core.RedisClient", "io.github.distlock:distlock-spring-boot-starter, which includes Lettuce"),

	/** The relational database of the application. */
	JDBC("org.springframework.jdbc.core.JdbcOperations",
			"org.springframework.boot:spring-boot-starter-jdbc and the driver of the database"),

	/** The transactions of the application. */
	TRANSACTION("org.springframework.jdbc.core.JdbcOperations",
			"org.springframework.boot:spring-boot-starter-jdbc and the driver of the database"),

	/** ZooKeeper, through Curator. */
	ZOOKEEPER("org.apache.curator.framework.CuratorFramework", "org.apache.curator:curator-recipes"),

	/** The memory of this JVM. Does not exclude other JVMs. */
	LOCAL("java.lang.Object", "nothing"),

	/**
	 * The two backends that {@code distlock.composite} names; has no store of its own.
	 */
	COMPOSITE("java.lang.Object", "nothing");

	private final String neededClass;

	private final String dependency;

	Backend(String neededClass, String dependency) {
		this.neededClass = neededClass;
		this.dependency = dependency;
	}

	/**
	 * Return the name of the backend in properties, qualifiers and bean names.
	 */
	String id() {
		return name().toLowerCase(Locale.ROOT);
	}

	/** Return the name of the bean that the library defines. */
	String beanName() {
		return "distlock" + StringUtils.capitalize(id()) + "LockBackend";
	}

	/** Return the name of a class without which the backend cannot work. */
	String neededClass() {
		return this.neededClass;
	}

	/** Return the dependency that provides that class. */
	String dependency() {
		return this.dependency;
	}

}
