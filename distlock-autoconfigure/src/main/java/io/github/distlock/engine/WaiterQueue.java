package io.github.distlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Ticket;

/**
 * The waiters of one key in this JVM, oldest first. Guarded by the lock of the
 * {@link KeyState}. A waiter whose outcome is decided is kept until it is woken, which
 * happens without that lock.
 * <p>
 * A waiter that has given up while its ticket is in the store returns when the ticket has
 * left: until then the store may grant the lock to it, so that other applications would
 * be refused a lock that has no holder.
 */
final class WaiterQueue {

	/**
	 * Of all keys that no caller waits for, so that a held lock needs none of its own.
	 * Nothing is ever added to it.
	 */
	static final WaiterQueue NONE = new WaiterQueue();

	/** Small: most keys have one waiter at a time. */
	private final List<Waiter> waiters = new ArrayList<>(1);

	/** The waiters to wake. From the second one on the list can grow. */
	private List<Waiter> decided = List.of();

	/** Those that have given up and return when their tickets have left the store. */
	private List<Waiter> departing = List.of();

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	int size() {
		return this.waiters.size();
	}

	Waiter first() {
		return this.waiters.get(0);
	}

	/** Whether there is one waiter, and the next answer of the store ends its wait. */
	boolean onlyTriesOnce() {
		return this.waiters.size() == 1 && first().triesOnce();
	}

	/** Whether this waiter and no other waits. */
	boolean isOnly(Waiter waiter) {
		return this.waiters.size() == 1 && first() == waiter;
	}

	void add(Waiter waiter) {
		this.waiters.add(waiter);
	}

	/** Decide the outcome of a waiter, which may be queued or not, and do not wake it. */
	private void decideWithoutWaking(Waiter waiter, WaitOutcome outcome) {
		if (waiter.counts != null) {
			// First: if this fails, the waiter still waits.
			waiter.counts.remove(waiter);
		}
		this.waiters.remove(waiter);
		waiter.decide(outcome);
	}

	/** Decide the outcome of a waiter, which may be queued or not. */
	void decide(Waiter waiter, WaitOutcome outcome) {
		// Allocate first: a waiter that sleeps, is decided and not in this list never
		// wakes.
		if (!waiter.isAwake()) {
			addDecided(waiter);
		}
		decideWithoutWaking(waiter, outcome);
	}

	/** A waiter gives up, and returns when this ticket has left the store. */
	void depart(Waiter waiter, Ticket ticket, WaitOutcome outcome) {
		if (!isAnyDeparting()) {
			this.departing = new ArrayList<>(1);
		}
		this.departing.add(waiter);
		waiter.startDeparting(ticket);
		decideWithoutWaking(waiter, outcome);
	}

	boolean isAnyDeparting() {
		return !this.departing.isEmpty();
	}

	/**
	 * The only attempt of a ticket has failed after the wait time had passed. It is
	 * unknown whether the lock was free: the callers get the failure, and no time-out.
	 */
	void failDeparting(Ticket ticket, LockBackendException cause) {
		this.departing.stream()
			.filter((waiter) -> ticket.equals(waiter.departingTicket())
					&& waiter.outcome() instanceof WaitOutcome.Refused)
			.forEach((waiter) -> waiter.decide(new WaitOutcome.Failure(cause)));
	}

	/** Let all that have given up return with the next event. */
	void departAll() {
		this.departing.forEach(Waiter::departed);
	}

	/**
	 * Wake those that have given up and may return. After an error they are woken again.
	 * @param leavesStore whether a ticket is still in the store and about to leave it
	 */
	void wakeDeparted(Predicate<Ticket> leavesStore) {
		this.departing.removeIf((waiter) -> {
			Ticket ticket = waiter.departingTicket();
			boolean stays = ticket != null && leavesStore.test(ticket);
			if (!stays) {
				addDecided(waiter);
				waiter.departed();
			}
			return !stays;
		});
	}

	/** Whether no caller waits, is to be woken or departs. */
	boolean isUnused() {
		return this.waiters.isEmpty() && this.decided.isEmpty() && !isAnyDeparting();
	}

	private void addDecided(Waiter waiter) {
		if (this.decided.isEmpty()) {
			this.decided = List.of(waiter);
		}
		else {
			if (this.decided.size() == 1) {
				this.decided = new ArrayList<>(this.decided);
			}
			this.decided.add(waiter);
		}
	}

	/** Decide the outcome of all waiters that match. */
	void decideAll(WaitOutcome outcome, Predicate<Waiter> filter) {
		matching(filter).forEach((waiter) -> decide(waiter, outcome));
	}

	/** A copy of the waiters that match, oldest first. */
	List<Waiter> matching(Predicate<Waiter> filter) {
		return this.waiters.stream().filter(filter).toList();
	}

	/** The waiters to wake. */
	List<Waiter> decided() {
		return this.decided;
	}

	/** The decided waiters have been passed on to be woken. */
	void clearDecided() {
		this.decided = List.of();
	}

}
