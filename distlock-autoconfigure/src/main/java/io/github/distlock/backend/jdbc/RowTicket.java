package io.github.distlock.backend.jdbc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What became of a ticket. It waits for a connection (queued), works with one, holds the
 * row, leaves, has ended: in this order, and only its worker thread leads it out of
 * working. Its own lock guards it, and is held for no command.
 */
final class RowTicket {

	final Ticket ticket;

	/** Whether it waits if somebody has the row. */
	final boolean waits;

	/** What the first attempt is answered. */
	final CompletableFuture<AttemptResult> answer = new CompletableFuture<>();

	/** Done when nothing of it is left. */
	final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	/** Whether it waits, and will be signalled. */
	volatile boolean waiting;

	private final ReentrantLock lock = new ReentrantLock();

	/** Whether it holds the row: as the state says, and to be read without the lock. */
	private volatile boolean holding;

	private State state = State.WORKING;

	private @Nullable RowTransaction transaction;

	private @Nullable Grant grant;

	RowTicket(Ticket ticket, boolean waits) {
		this.ticket = ticket;
		this.waits = waits;
	}

	/** Its worker has a connection. */
	void working(RowTransaction begun) {
		this.lock.lock();
		try {
			this.transaction = begun;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The row is ours; answers whether anybody still wants it. */
	boolean hold(Grant given) {
		this.lock.lock();
		try {
			if (this.state != State.WORKING) {
				return false;
			}
			this.state = State.HELD;
			this.grant = given;
			this.holding = true;
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Whether it holds the row; does not block. */
	boolean isHolding() {
		return this.holding;
	}

	boolean isLeaving() {
		this.lock.lock();
		try {
			return this.state == State.LEAVING;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return what it holds. */
	@Nullable Held held() {
		this.lock.lock();
		try {
			return (this.state == State.HELD && this.transaction != null && this.grant != null)
					? new Held(this.transaction, this.grant) : null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * It is no longer wanted, or has died.
	 * @return what it held, for the caller to end
	 */
	@Nullable Held leave() {
		this.lock.lock();
		try {
			Held held = held();
			this.state = State.LEAVING;
			// Before the row goes back: whoever asks must not believe in it any more.
			this.holding = false;
			return held;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return the connection on which it waits. */
	@Nullable RowTransaction transaction() {
		this.lock.lock();
		try {
			return this.transaction;
		}
		finally {
			this.lock.unlock();
		}
	}

	private enum State {

		WORKING, HELD, LEAVING

	}

	/**
	 * A row that is held.
	 *
	 * @param session by this
	 * @param grant what was granted
	 */
	record Held(RowTransaction transaction, Grant grant) {
	}

}
