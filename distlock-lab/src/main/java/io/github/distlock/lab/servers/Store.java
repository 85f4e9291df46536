package io.github.distlock.lab.servers;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The lock stores that the inventory nodes have only if a strategy needs them, and their
 * settings.
 */
public enum Store {

	/** The strategy needs only the database and the Redis that always exist. */
	NONE(Map.of()),

	/** The memory of a node. */
	LOCAL(Map.of("distlock.local.enabled", "true")),

	/** Rows of the database, with leases. */
	JDBC_LEASE(Map.of("distlock.jdbc.enabled", "true", "distlock.jdbc.mode", "lease", "distlock.jdbc.initialize-schema",
			"always")),

	/** Locked rows of the database. */
	JDBC_CONNECTION(Map.of("distlock.jdbc.enabled", "true", "distlock.jdbc.mode", "connection",
			"distlock.jdbc.initialize-schema", "always")),

	/** Five Redis masters. A node counts once it has been up for the longest lease. */
	REDLOCK(Map.of("distlock.redlock.enabled", "true", "distlock.redlock.longest-lease", "3s", "distlock.lease-time",
			"2s", "distlock.redis.command-timeout", "600ms", "distlock.jdbc.command-timeout", "600ms")),

	/** ZooKeeper. The locks of a crashed node remain for the session timeout. */
	ZOOKEEPER(Map.of("distlock.zookeeper.enabled", "true", "distlock.zookeeper.session-timeout", "4s"));

	private final Map<String, String> settings;

	Store(Map<String, String> settings) {
		this.settings = settings;
	}

	/**
	 * Return the properties of a node that has the store.
	 */
	public Map<String, String> settings() {
		return this.settings;
	}

	/**
	 * Return the stores that a node can have at the same time: of two that exclude each
	 * other the first.
	 * @param stores stores in the order in which they are needed
	 */
	public static List<Store> together(Collection<Store> stores) {
		Map<String, String> settings = new HashMap<>();
		stores.forEach((store) -> store.settings.forEach(settings::putIfAbsent));
		return stores.stream()
			.distinct()
			.filter((store) -> settings.entrySet().containsAll(store.settings.entrySet()))
			.toList();
	}

}
