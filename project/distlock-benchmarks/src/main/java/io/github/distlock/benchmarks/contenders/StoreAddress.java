package io.github.distlock.benchmarks.contenders;

import java.util.Arrays;
import java.util.List;

/**
 * Where the locks of a client are kept.
 *
 * @param kind the kind of store
 * @param parts the parts of the address, see {@link Kind}
 */
public record StoreAddress(Kind kind, List<String> parts) {

	private static final String SEPARATOR = "|";

	/**
	 * Make an address.
	 * @param kind the kind of store
	 * @param parts the parts of the address
	 * @return the address
	 */
	public static StoreAddress of(Kind kind, String... parts) {
		return new StoreAddress(kind, List.of(parts));
	}

	/**
	 * Read what {@link #toString()} writes.
	 * @param text kind and parts
	 * @return the address
	 */
	public static StoreAddress parse(String text) {
		List<String> words = Arrays.asList(text.split("\\" + SEPARATOR, -1));
		return new StoreAddress(Kind.valueOf(words.get(0)), List.copyOf(words.subList(1, words.size())));
	}

	/**
	 * Return the address of a Redis server.
	 * @param node the number of the server, from 0
	 * @return its host and port
	 */
	public RedisAddress redis(int node) {
		return RedisAddress.parse(this.parts.get(node));
	}

	@Override
	public String toString() {
		return this.kind + SEPARATOR + String.join(SEPARATOR, this.parts);
	}

	/**
	 * The kinds of store.
	 */
	public enum Kind {

		/** One Redis: host and port. */
		REDIS,

		/**
		 * One Redis with TLS: host and port, and the file of the certificate to trust.
		 */
		SECURED_REDIS,

		/** A Redis with a replica: host and port of both, the master first. */
		REPLICATED_REDIS,

		/** Independent masters: host and port of each. */
		REDLOCK,

		/** A database: JDBC URL, user and password. */
		JDBC,

		/** ZooKeeper: connect string. */
		ZOOKEEPER,

		/** No store. */
		NONE

	}

}
