package io.github.distlock.backend.jdbc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM knows of a ticket in the mode {@code row}. A ticket is queued for a
 * connection, works with one, holds its row, leaves and has ended, in this order. Only
 * its worker thread changes it from working to held. The lock of this class guards the
 * state, and is never held during a database call.
 */
final class RowTicket {

	final Ticket ticket;

	/** Whether the ticket waits if the row is locked. */
	final boolean waits;

	/** The result of the first attempt. */
	final CompletableFuture<AttemptResult> answer = new CompletableFuture<>();

	/** Completed when the ticket has neither a connection nor a place in the queue. */
	final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	/** Whether the ticket waits, so that its grant will be signalled. */
	volatile boolean waiting;

	private final ReentrantLock lock = new ReentrantLock();

	/** Whether the state is {@link State#HELD}, for reading without the lock. */
	private volatile boolean holding;

	private State state = State.WORKING;

	private @Nullable RowTransaction transaction;

	private @Nullable Grant grant;

	RowTicket(Ticket ticket, boolean waits) {
		this.ticket = ticket;
		this.waits = waits;
	}

	/** Notify that the worker has begun a transaction. */
	void begun(RowTransaction begun) {
		this.lock.lock();
		try {
			this.transaction = begun;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Notify that the row is locked. Returns {@code false} if the ticket was given up.
	 */
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

	/** Return whether the ticket holds its row. Does not block. */
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

	/** Return the held row, or {@code null} if the ticket holds none. */
	@Nullable HeldRow held() {
		this.lock.lock();
		try {
			return (this.state == State.HELD && this.transaction != null && this.grant != null)
					? new HeldRow(this.transaction, this.grant) : null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Give the ticket up, or notify that its session has ended.
	 * @return the row that it held, whose transaction the caller has to end
	 */
	@Nullable HeldRow leave() {
		this.lock.lock();
		try {
			HeldRow held = held();
			this.state = State.LEAVING;
			// Before the row is freed, so that no caller takes the lock for held
			// afterwards.
			this.holding = false;
			return held;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return the transaction, or {@code null} if none was begun yet. */
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
	 * @param transaction the transaction that holds the row
	 * @param grant the grant of the lock
	 */
	record HeldRow(RowTransaction transaction, Grant grant) {
	}

}
