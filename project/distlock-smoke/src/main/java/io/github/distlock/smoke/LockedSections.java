package io.github.distlock.smoke;

import io.github.distlock.DistributedLock;
import io.github.distlock.FencingToken;

import org.springframework.stereotype.Component;

/**
 * Runs sections under a lock of each store. Callers pass any token.
 */
@Component
public class LockedSections {

	/**
	 * Run a section under a lock in Redis, the default store.
	 * @param key the key of the lock
	 * @param section the work
	 * @param token the fencing token
	 */
	@DistributedLock(key = "#key", name = "section", waitTime = "30s")
	public void overRedis(String key, Section section, @FencingToken long token) {
		section.run(token);
	}

	/**
	 * Run a section under a lock in the database.
	 * @param key the key of the lock
	 * @param section the work
	 * @param token the fencing token
	 */
	@DistributedLock(key = "#key", name = "section", waitTime = "30s", registry = "jdbc")
	public void overJdbc(String key, Section section, @FencingToken long token) {
		section.run(token);
	}

	/**
	 * Run a section under a lock in ZooKeeper.
	 * @param key the key of the lock
	 * @param section the work
	 * @param token the fencing token
	 */
	@DistributedLock(key = "#key", name = "section", waitTime = "30s", registry = "zookeeper")
	public void overZooKeeper(String key, Section section, @FencingToken long token) {
		section.run(token);
	}

	/**
	 * Run a section under a lock of this node alone.
	 * @param key the key of the lock
	 * @param section the work
	 * @param token the fencing token
	 */
	@DistributedLock(key = "#key", name = "section", waitTime = "30s", registry = "local")
	public void inThisNode(String key, Section section, @FencingToken long token) {
		section.run(token);
	}

}
