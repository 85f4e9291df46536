package io.github.distlock.shapes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

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
		locked(() -> this.inside.remove(holder));
	}

	/** Write, if no newer token was seen. Answers whether that was so. */
	boolean write(long token) {
		return locked(() -> {
			boolean accepted = token >= this.highest;
			this.highest = Math.max(token, this.highest);
			this.refused += accepted ? 0 : 1;
			return accepted;
		});
	}

	List<String> overlaps() {
		return locked(() -> List.copyOf(this.overlaps));
	}

	long highest() {
		return locked(() -> this.highest);
	}

	int refused() {
		return locked(() -> this.refused);
	}

	private <T> T locked(Supplier<T> action) {
		this.lock.lock();
		try {
			return action.get();
		}
		finally {
			this.lock.unlock();
		}
	}

}
