package io.github.distlock.backend.jdbc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The bound on connections, and who waits for one of them, in order.
 */
final class RowConnectionPermits {

	private final ReentrantLock lock = new ReentrantLock();

	private final Deque<RowTicket> queue = new ArrayDeque<>();

	private int free;

	RowConnectionPermits(int size) {
		this.free = size;
	}

	/**
	 * Take a connection's place.
	 * @return whether there was one; if not, the place was queued if it waits
	 */
	boolean take(RowTicket rowTicket) {
		this.lock.lock();
		try {
			if (this.free > 0) {
				this.free--;
				return true;
			}
			if (rowTicket.waits) {
				this.queue.addLast(rowTicket);
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
	@Nullable RowTicket give() {
		this.lock.lock();
		try {
			RowTicket next = this.queue.pollFirst();
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
	@Nullable RowTicket swap(RowTicket rowTicket) {
		this.lock.lock();
		try {
			RowTicket next = this.queue.pollFirst();
			if (next != null) {
				this.queue.addLast(rowTicket);
			}
			return next;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Stop waiting; answers whether it did. */
	boolean forget(RowTicket rowTicket) {
		this.lock.lock();
		try {
			return this.queue.remove(rowTicket);
		}
		finally {
			this.lock.unlock();
		}
	}

}
