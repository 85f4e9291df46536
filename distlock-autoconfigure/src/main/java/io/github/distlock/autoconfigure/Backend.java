package io.github.distlock.autoconfigure;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What {@code distlock.backend} can name.
 */
public enum Backend {

	/** The application's Redis. */
	REDIS("org.springframework.data.redis.connection.RedisConnectionFactory",
			"io.github.distlock:distlock-spring-boot-starter, which brings Redis"),

	/** Several Redis masters that know nothing of each other. */
	REDLOCK("io.lettuce.core.RedisClient", "io.github.distlock:distlock-spring-boot-starter, which brings Lettuce"),

	/** The application's relational database. */
	JDBC("org.springframework.jdbc.core.JdbcOperations",
			"org.springframework.boot:spring-boot-starter-jdbc and the driver of the database"),

	/** ZooKeeper, through Curator. */
	ZOOKEEPER("org.apache.curator.framework.CuratorFramework", "org.apache.curator:curator-recipes"),

	/** The memory of this JVM: other JVMs are not kept out. */
	LOCAL("java.lang.Object", "nothing"),

	/** Both stores that {@code distlock.composite} names; no store of its own. */
	COMPOSITE("java.lang.Object", "nothing");

	private final String neededClass;

	private final String dependency;

	Backend(String neededClass, String dependency) {
		this.neededClass = neededClass;
		this.dependency = dependency;
	}

	/**
	 * Name of the store, as properties, qualifiers and bean names have it.
	 */
	String id() {
		return name().toLowerCase(Locale.ROOT);
	}

	/** A class without which the store cannot work. */
	String neededClass() {
		return this.neededClass;
	}

	/** What to add to the class path to have that class. */
	String dependency() {
		return this.dependency;
	}

	static String names() {
		return Arrays.stream(values()).map(Backend::id).collect(Collectors.joining(", "));
	}

}
