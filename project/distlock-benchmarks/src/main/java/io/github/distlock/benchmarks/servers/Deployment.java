package io.github.distlock.benchmarks.servers;

import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;

/**
 * What locks are kept in.
 */
public enum Deployment {

	/** One Redis. */
	REDIS("", "", Kind.REDIS),

	/** One Redis, behind a proxy that delays. */
	DELAYED("delayed-", ", Redis behind a network delay of 1 ms each way", Kind.REDIS),

	/** One Redis with TLS. */
	TLS("tls-", ", Redis with TLS", Kind.SECURED_REDIS),

	/** A Redis with a replica. */
	REPLICA("replica-", ", Redis with one replica (Redisson waits for it by WAIT, no other contender does)",
			Kind.REPLICATED_REDIS),

	/** Three independent masters. */
	REDLOCK("redlock-", ", Redlock over three Redis masters", Kind.REDLOCK),

	/** PostgreSQL. */
	POSTGRESQL("postgresql-", ", PostgreSQL (commits do not wait for the disk)", Kind.JDBC),

	/** The server of H2. */
	H2("h2-", ", H2 in a server of its own, in memory", Kind.JDBC),

	/** One ZooKeeper. */
	ZOOKEEPER("zookeeper-", ", one ZooKeeper server", Kind.ZOOKEEPER),

	/** No server. */
	NONE("", "", Kind.NONE);

	private final String prefix;

	private final String description;

	private final Kind kind;

	Deployment(String prefix, String description, Kind kind) {
		this.prefix = prefix;
		this.description = description;
		this.kind = kind;
	}

	/**
	 * Return how the names of its workloads begin.
	 * @return a prefix
	 */
	public String prefix() {
		return this.prefix;
	}

	/**
	 * Return how the descriptions of its workloads end.
	 * @return a part of a sentence
	 */
	public String description() {
		return this.description;
	}

	/**
	 * Return what a contender must be made for to take part.
	 * @return the kind of store
	 */
	public Kind kind() {
		return this.kind;
	}

}
