package io.github.distlock.aot;

import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockMode;

import org.springframework.transaction.annotation.Transactional;

/**
 * Methods with a lock in each store. They return the keys of their locks.
 */
class StoreWork {

	@DistributedLock(key = "'redis-' + #id", minHold = "1ms")
	List<String> redis(long id) {
		return keys();
	}

	@DistributedLock(key = "'redlock'", registry = "redlock", leaseTime = "10s")
	List<String> redlock() {
		return keys();
	}

	@DistributedLock(key = "'jdbc'", registry = "jdbc", waitTime = "${jdbc.wait:5s}")
	List<String> jdbc() {
		return keys();
	}

	@DistributedLock(key = "'zookeeper'", registry = "zookeeper", fair = true)
	List<String> zookeeper() {
		return keys();
	}

	@DistributedLock(key = "'local'", registry = "local")
	List<String> local() {
		return keys();
	}

	@DistributedLock(key = "'composite'", registry = "composite")
	List<String> composite() {
		return keys();
	}

	@DistributedLock(key = "'shared'", mode = LockMode.READ)
	List<String> reading() {
		return keys();
	}

	@DistributedLock(key = "'shared'", mode = LockMode.WRITE)
	List<String> writing() {
		return keys();
	}

	@Transactional
	@DistributedLock(key = "'transaction'")
	List<String> transaction() {
		return keys();
	}

	static List<String> keys() {
		return LockContext.all().stream().map(HeldLock::key).sorted().toList();
	}

}
