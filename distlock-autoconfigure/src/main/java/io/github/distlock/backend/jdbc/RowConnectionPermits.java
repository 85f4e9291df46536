package io.github.distlock.backend.jdbc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Permits for the connections of the mode {@code row}, and the queue of the tickets that
 * wait for one.
 */
final class RowConnectionPermits {

	private final ReentrantLock lock = new ReentrantLock();

	private final Deque<RowTicket> queue = new ArrayDeque<>();

	private int free;

	RowConnectionPermits(int size) {
		this.free = size;
	}

	/**
	 * Take a permit. If there is none, a ticket that waits is queued.
	 * @return whether there was a permit
	 */
	boolean acquire(RowTicket rowTicket) {
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
	 * Return a permit.
	 * @return the ticket that has it now, {@code null} if none waits
	 */
	@Nullable RowTicket release() {
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
	 * Pass a permit to the first ticket of the queue, and queue the previous owner.
	 * @return the ticket that has it now; {@code null} if none waits, and the owner keeps
	 * it
	 */
	@Nullable RowTicket passOn(RowTicket rowTicket) {
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

	/** Remove a ticket from the queue. Returns whether it was queued. */
	boolean remove(RowTicket rowTicket) {
		this.lock.lock();
		try {
			return this.queue.remove(rowTicket);
		}
		finally {
			this.lock.unlock();
		}
	}

}
