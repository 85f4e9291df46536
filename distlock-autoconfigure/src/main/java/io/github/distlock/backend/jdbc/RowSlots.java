package io.github.distlock.backend.jdbc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The bound on connections, and who waits for one of them, in order.
 */
final class RowSlots {

	private final ReentrantLock lock = new ReentrantLock();

	private final Deque<RowPlace> queue = new ArrayDeque<>();

	private int free;

	RowSlots(int size) {
		this.free = size;
	}

	/**
	 * Take a connection's place.
	 * @return whether there was one; if not, the place was queued if it waits
	 */
	boolean take(RowPlace place) {
		this.lock.lock();
		try {
			if (this.free > 0) {
				this.free--;
				return true;
			}
			if (place.waits) {
				this.queue.addLast(place);
			}
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Give it back.
	 * @return who has it now
	 */
	@Nullable RowPlace give() {
		this.lock.lock();
		try {
			RowPlace next = this.queue.pollFirst();
			if (next == null) {
				this.free++;
			}
			return next;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Give it to whoever waits longest, and wait behind the others.
	 * @return who has it now; {@code null} if nobody waits and nothing has changed
	 */
	@Nullable RowPlace swap(RowPlace place) {
		this.lock.lock();
		try {
			RowPlace next = this.queue.pollFirst();
			if (next != null) {
				this.queue.addLast(place);
			}
			return next;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Stop waiting; answers whether it did. */
	boolean forget(RowPlace place) {
		this.lock.lock();
		try {
			return this.queue.remove(place);
		}
		finally {
			this.lock.unlock();
		}
	}

}
