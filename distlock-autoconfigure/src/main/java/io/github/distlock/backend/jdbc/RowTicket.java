package io.github.distlock.backend.jdbc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM knows of a ticket in the mode {@code row}. A ticket works or is queued,
 * holds its row, and leaves, in this order. Its worker thread changes it from working to
 * held; whoever lets it leave has to end its transaction, unless it works.
 */
final class RowTicket {

	private static final State WORKING = new State(null);

	private static final State LEAVING = new State(null);

	final Ticket ticket;

	/** Whether the ticket waits if the row is locked. */
	final boolean waits;

	/** The result of the first attempt. */
	final CompletableFuture<AttemptResult> answer = new CompletableFuture<>();

	/** Completed when the connection has been returned. */
	final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	/** Whether the ticket waits, so that its grant will be signalled. */
	volatile boolean waiting;

	/** Compared by identity. */
	private final AtomicReference<State> state = new AtomicReference<>(WORKING);

	private final AtomicReference<@Nullable RowTransaction> transaction = new AtomicReference<>();

	RowTicket(Ticket ticket, boolean waits) {
		this.ticket = ticket;
		this.waits = waits;
	}

	void begun(RowTransaction begun) {
		this.transaction.set(begun);
	}

	/** Return the transaction, or {@code null} if none is open. */
	@Nullable RowTransaction transaction() {
		return this.transaction.get();
	}

	/** Return the transaction and forget it. Only one thread gets it. */
	@Nullable RowTransaction takeTransaction() {
		return this.transaction.getAndSet(null);
	}

	/**
	 * Notify that the row is locked. Returns {@code false} if the ticket was given up.
	 */
	boolean hold(Grant given) {
		return this.state.compareAndSet(WORKING, new State(given));
	}

	/** Return the grant, or {@code null} if the ticket does not hold its row. */
	@Nullable Grant grant() {
		return this.state.get().grant();
	}

	boolean isHolding() {
		return grant() != null;
	}

	boolean isLeaving() {
		return this.state.get() == LEAVING;
	}

	/**
	 * Give the ticket up, or notify that its session has ended. This comes before the row
	 * is freed, so that no caller takes the lock for held afterwards.
	 * @return the grant if the ticket held its row, whose transaction the caller has to
	 * end
	 */
	@Nullable Grant leave() {
		return this.state.getAndSet(LEAVING).grant();
	}

	private record State(@Nullable Grant grant) {
	}

}
