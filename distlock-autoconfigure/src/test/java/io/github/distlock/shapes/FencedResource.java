package io.github.distlock.shapes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.HeldLock;

/**
 * A protected resource: it refuses tokens lower than the highest it has seen, and records
 * whether holders overlap.
 */
final class FencedResource {

	private final ReentrantLock lock = new ReentrantLock();

	private final List<HeldLock> inside = new ArrayList<>();

	private final List<String> overlaps = new ArrayList<>();

	private long highest;

	private int refused;

	/** A holder enters and writes. */
	void enter(HeldLock holder) {
		this.lock.lock();
		try {
			for (HeldLock other : this.inside) {
				// In this order: both were valid at the first check.
				if (other.isHeld() && holder.isHeld()) {
					this.overlaps.add(holder.fencingToken() + " entered beside " + other.fencingToken());
				}
			}
			this.inside.add(holder);
		}
		finally {
			this.lock.unlock();
		}
		write(holder.fencingToken());
	}

	void leave(HeldLock holder) {
		this.lock.lock();
		try {
			this.inside.remove(holder);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Write, if no newer token was seen. Answers whether that was so. */
	boolean write(long token) {
		this.lock.lock();
		try {
			if (token < this.highest) {
				this.refused++;
				return false;
			}
			this.highest = token;
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	List<String> overlaps() {
		this.lock.lock();
		try {
			return List.copyOf(this.overlaps);
		}
		finally {
			this.lock.unlock();
		}
	}

	long highest() {
		this.lock.lock();
		try {
			return this.highest;
		}
		finally {
			this.lock.unlock();
		}
	}

	int refused() {
		this.lock.lock();
		try {
			return this.refused;
		}
		finally {
			this.lock.unlock();
		}
	}

}
