package io.github.distlock.registry;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.HeldLock;

/**
 * One key, observed by its holders: which of them holds it now, and in which order the
 * tokens arrived. Holders may overlap, and an older one may arrive late, only if the
 * store lost its data between their grants.
 */
final class HotKey {

	private final String name;

	private final Set<HeldLock> inside = ConcurrentHashMap.newKeySet();

	private final AtomicLong lastToken = new AtomicLong();

	private final List<Loss> losses = new CopyOnWriteArrayList<>();

	private final Queue<String> violations = new ConcurrentLinkedQueue<>();

	HotKey(String name) {
		this.name = name;
	}

	String name() {
		return this.name;
	}

	Queue<String> violations() {
		return this.violations;
	}

	/** From this moment on the store may lose its data. */
	void losingData(long fromMillis) {
		this.losses.add(new Loss(fromMillis * 1000, Long.MAX_VALUE));
	}

	/** The store has lost its data. */
	void dataLost(long toMillis) {
		Loss begun = this.losses.remove(this.losses.size() - 1);
		this.losses.add(new Loss(begun.fromMicros, (toMillis + 1) * 1000));
	}

	void entered(HeldLock lock) {
		long token = lock.fencingToken();
		this.inside.add(lock);
		for (HeldLock other : this.inside) {
			// In this order: both locks were valid when the first was asked.
			if (other != lock && other.isHeld() && lock.isHeld() && !isLossBetween(other.fencingToken(), token)) {
				this.violations.add(this.name + ": " + token + " entered while " + other.fencingToken() + " was in");
			}
		}
		long last = this.lastToken.getAndAccumulate(token, Math::max);
		if (token == last || (token < last && lock.isHeld() && !isLossBetween(token, last))) {
			this.violations.add(this.name + ": " + token + " entered after " + last);
		}
	}

	void leaving(HeldLock lock) {
		this.inside.remove(lock);
	}

	private boolean isLossBetween(long one, long two) {
		return this.losses.stream()
			.anyMatch((loss) -> Math.min(one, two) <= loss.toMicros && Math.max(one, two) >= loss.fromMicros);
	}

	/** Tokens are microseconds of the server's clock, which is also that of the test. */
	private record Loss(long fromMicros, long toMicros) {
	}

}
