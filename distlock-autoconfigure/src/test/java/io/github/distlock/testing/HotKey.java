package io.github.distlock.testing;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.HeldLock;

/**
 * One key, observed by its holders: which of them holds it now, and in which order the
 * tokens arrived. Holders must not overlap, and one that is valid has the highest token
 * so far.
 */
public record HotKey(String name, Set<HeldLock> inside, AtomicLong lastToken, Queue<String> violations) {

	public HotKey(String name) {
		this(name, ConcurrentHashMap.newKeySet(), new AtomicLong(), new ConcurrentLinkedQueue<>());
	}

	public long highest() {
		return this.lastToken.get();
	}

	public void entered(HeldLock lock) {
		long token = lock.fencingToken();
		this.inside.add(lock);
		for (HeldLock other : this.inside) {
			// In this order: both locks were valid when the first was asked.
			if (other != lock && other.isHeld() && lock.isHeld()) {
				this.violations.add(this.name + ": " + token + " entered while " + other.fencingToken() + " was in");
			}
		}
		long last = this.lastToken.getAndAccumulate(token, Math::max);
		if (token == last || (token < last && lock.isHeld())) {
			this.violations.add(this.name + ": " + token + " entered after " + last);
		}
	}

	public void leaving(HeldLock lock) {
		this.inside.remove(lock);
	}

}
