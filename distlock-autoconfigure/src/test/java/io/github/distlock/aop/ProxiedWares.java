package io.github.distlock.aop;

import io.github.distlock.DistributedLock;

/**
 * Methods that a proxy can lock, called from outside and from inside.
 */
class ProxiedWares {

	private final InMemoryLocks locks;

	ProxiedWares(InMemoryLocks locks) {
		this.locks = locks;
	}

	public void callsItself(String id) {
		deduct(id);
	}

	@DistributedLock("'public-' + #id")
	public void deduct(String id) {
		this.locks.events.add("run");
	}

}
