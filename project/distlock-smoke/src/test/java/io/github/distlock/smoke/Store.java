package io.github.distlock.smoke;

import io.github.distlock.LockRegistry;

/**
 * The stores of the smoke application.
 */
enum Store {

	REDIS("redis", LockedSections::overRedis),

	JDBC("jdbc", LockedSections::overJdbc),

	ZOOKEEPER("zookeeper", LockedSections::overZooKeeper),

	LOCAL("local", LockedSections::inThisNode);

	private final String qualifier;

	private final LockedCall method;

	Store(String qualifier, LockedCall method) {
		this.qualifier = qualifier;
		this.method = method;
	}

	/** Call the annotated method of this store. */
	void run(SmokeNode node, String key, Section section) {
		this.method.call(node.bean(LockedSections.class), key, section, 0);
	}

	LockRegistry registry(SmokeNode node) {
		return node.bean(this.qualifier, LockRegistry.class);
	}

	private interface LockedCall {

		void call(LockedSections sections, String key, Section section, long token);

	}

}
