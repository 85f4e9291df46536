package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM knows of one key: who waits, who holds, and what is on its way to the
 * store. A state machine: each event changes the state, and then {@link #steps()} says
 * what follows. Guarded by the lock of its {@link LockedKeyQueue}.
 * <p>
 * Invariants:
 * <ul>
 * <li>At most one command of a key is in flight, so commands of one key cannot overtake
 * each other.</li>
 * <li>There is one live ticket at most: it waits in {@link #place} or is held by
 * {@link #holder}, never both. The place is set before its first attempt is sent, since a
 * message may come before the reply.</li>
 * <li>A ticket that moved to {@link #exits} is never attempted, renewed or handed on
 * again, and nothing new is attempted before the store has answered its exit.</li>
 * <li>A place belongs to the key, not to a thread: it is kept while anybody waits.</li>
 * <li>Without waiters, holder, place, exits and command in flight the entry is removed
 * from the room, once, and never used again.</li>
 * </ul>
 */
final class KeyQueue extends KeyCallers {

	private final PendingReleases exits;

	private @Nullable QueuedTicket place;

	private @Nullable Holder holder;

	/** Whether an attempt of the held ticket was never answered. */
	private boolean doubtful;

	private boolean removed;

	KeyQueue(CommandTarget entry, KeyQueueContext room) {
		super(entry, room);
		this.exits = new PendingReleases(room.clock());
	}

	/** Add a caller to the local queue; answers whether this entry is still in use. */
	boolean join(Waiter waiter) {
		if (this.removed) {
			return false;
		}
		enqueue(waiter, this.holder != null);
		return true;
	}

	/**
	 * The holder leaves, and the next one enters under the same grant: nothing is sent.
	 * @param validity until when the grant counts by now
	 * @return whether that could be; otherwise nothing has changed
	 */
	boolean handOn(Holder admission, Validity validity) {
		dropAbandoned();
		if (this.holder != admission || this.waiters.isEmpty()) {
			return false;
		}
		Waiter next = this.waiters.first();
		if (!this.room.handOff().allow(admission, validity, next.request(), this.room.clock())) {
			return false;
		}
		this.holder = admission.next(validity);
		this.waiters.decide(next, new Outcome.Admitted(this.holder));
		return true;
	}

	/**
	 * The lock goes back to the store, or to a reader of another entry; answers whether
	 * this one still held it.
	 */
	boolean depart(Holder admission, long giveUpNanos, @Nullable PendingDowngrade heir) {
		if (this.holder != admission) {
			return false;
		}
		this.exits.release(admission.ticket(), this.doubtful, admission.fencingToken(), giveUpNanos, heir);
		this.holder = null;
		return true;
	}

	/** A ticket was granted by message; answers whether anybody here knows it. */
	boolean granted(Ticket ticket, Grant grant) {
		QueuedTicket waiting = this.place;
		if (waiting == null || !waiting.ticket.equals(ticket)) {
			return ticket.equals(liveTicket()) || this.exits.contains(ticket);
		}
		storeAnswered();
		waiting.waited = true;
		if (grant.validity().hasPassed(this.room.clock())) {
			waiting.due = true;
		}
		else {
			admit(waiting, waiting.lease(), grant);
		}
		return true;
	}

	/** Another attempt is worth its while, for one ticket or for whichever waits. */
	void look(@Nullable Ticket ticket) {
		QueuedTicket waiting = this.place;
		if (waiting != null && (ticket == null || waiting.ticket.equals(ticket))) {
			waiting.due = true;
		}
	}

	void attempted(Command.Attempt attempt, AttemptResult result) {
		settled(attempt);
		storeAnswered();
		QueuedTicket waiting = this.place;
		// A message may have been quicker than the reply.
		if (waiting != null && waiting.ticket.equals(attempt.ticket())) {
			answered(waiting, attempt.lease(), result);
		}
	}

	void attemptFailed(Command.Attempt attempt, LockBackendException cause) {
		settled(attempt);
		QueuedTicket waiting = this.place;
		if (waiting != null && waiting.ticket.equals(attempt.ticket())) {
			waiting.doubtful = true;
			failed(cause);
		}
		// A message may have been quicker, and its holder may have left before this.
		doubt(attempt.ticket());
	}

	/** The store has answered a release (or a cancel, then without a result). */
	void left(PendingRelease exit, @Nullable ReleaseResult result) {
		settled(exit);
		storeAnswered();
		gone(exit, (result != null) ? result.next() : null);
	}

	void leaveFailed(PendingRelease exit, LockBackendException cause) {
		settled(exit);
		failed(exit.notAttempted(cause));
		if (this.exits.rest(exit)) {
			gone(exit, null);
		}
	}

	/** A timer of this entry fired. */
	void ring() {
		RetryTimer waited = lookout();
		if (waited.rings()) {
			this.exits.wake();
			QueuedTicket waiting = this.place;
			if (waiting != null) {
				waiting.due |= waited.looks();
			}
		}
	}

	/**
	 * An error cut short an event of this command: it is settled without an answer.
	 */
	void rescue(Command command) {
		boolean wasInFlight = settled(command);
		if (wasInFlight && this.place != null) {
			this.place.doubtful = true;
		}
		// An heir must never ask again: another writer may have been in between.
		this.waiters.decideAll(new Outcome.TimedOut(), Waiter::isHeir);
		if (command instanceof Command.Attempt attempt) {
			doubt(attempt.ticket());
			if (wasInFlight && !attempt.ticket().equals(liveTicket()) && !this.exits.contains(attempt.ticket())) {
				// The event may have been cut short between two states of the ticket.
				this.exits.cancel(attempt.ticket());
			}
		}
		rouse();
	}

	/** An attempt of a ticket may have been made, and may still be on its way. */
	private void doubt(Ticket ticket) {
		this.doubtful |= this.holder != null && this.holder.ticket().equals(ticket);
		this.exits.doubt(ticket);
	}

	/** Whatever is left to be done is due. */
	void rouse() {
		this.exits.wake();
		if (this.place != null) {
			this.place.due = true;
		}
	}

	private void gone(PendingRelease exit, @Nullable AttemptResult next) {
		this.exits.remove(exit);
		QueuedTicket waiting = this.place;
		if (waiting != null) {
			waiting.waited = true;
			if (next != null && exit.next != null) {
				answered(waiting, exit.next.lease(), next);
			}
			else {
				// Nobody told whether it is queued: it must ask.
				waiting.due = true;
			}
		}
	}

	private void answered(QueuedTicket waiting, Duration asked, AttemptResult result) {
		if (result instanceof AttemptResult.Granted granted) {
			if (granted.grant().validity().hasPassed(this.room.clock())) {
				// For one that asks once this was it. And an heir must never ask: another
				// writer may have been in between.
				this.waiters.ofKind(Waiter::isOnce).forEach((once) -> dismiss(once, new Outcome.TimedOut()));
				lookout().afterStaleGrant();
			}
			else {
				admit(waiting, asked, granted.grant());
			}
			return;
		}
		waiting.waited = true;
		this.waiters.decideAll(new Outcome.TimedOut(), Waiter::isOnce);
		if (result instanceof AttemptResult.Waiting later) {
			lookout().after(later.lookAgain());
			if (waiting.queue(later.queuedNow())) {
				this.room.lostPlace();
			}
		}
		else if (this.waiters.isEmpty() && waiting.isUnknown()) {
			// The only caller did not want to wait, and the store knows nothing of it.
			this.place = null;
			this.room.waitsNoMore();
		}
		else {
			waiting.due = true;
		}
	}

	private void admit(QueuedTicket waiting, Duration asked, Grant grant) {
		if (this.exits.isEmpty()) {
			// Not while an exit rests: it is still to be woken.
			rest();
		}
		this.room.waitsNoMore();
		this.place = null;
		dropAbandoned();
		if (this.waiters.isEmpty() || asked.compareTo(this.waiters.first().request().lease()) > 0) {
			// All have left meanwhile, or the one that wanted such a long lease.
			this.exits.giveBack(waiting, asked, grant);
			return;
		}
		waiting.askFor(this.waiters.first().request().lease());
		Holder admission = waiting.admit(grant, this.room.clock().nanoTime());
		this.holder = admission;
		this.doubtful = waiting.doubtful;
		this.waiters.decide(this.waiters.first(), new Outcome.Admitted(admission));
	}

	/**
	 * Find out what follows from the events so far. Call it once after each.
	 */
	Effects steps() {
		Command lost = lost();
		if (lost != null) {
			rescue(lost);
		}
		dropAbandoned();
		failWithoutTimer();
		Command command = nextCommand();
		Effects steps = new Effects(command, takeWoken(), this.exits.takeStray());
		if (command != null) {
			sending(command);
		}
		else if (isIdle()) {
			this.removed = true;
			this.room.remove(this.entry.key());
		}
		return steps;
	}

	@Override
	boolean isLeaving(Ticket ticket) {
		boolean abandoned = this.place != null && this.place.ticket.equals(ticket) && this.waiters.isEmpty();
		return (abandoned || this.exits.isLeaving(ticket)) && failure() == null;
	}

	@Override
	@Nullable Ticket waitingTicket() {
		return (this.place != null) ? this.place.ticket : null;
	}

	private @Nullable Ticket liveTicket() {
		return (this.place == null && this.holder != null) ? this.holder.ticket() : waitingTicket();
	}

	/** What a shutdown would have to wait for. */
	UnfinishedWork unfinished() {
		UnfinishedWork commands = (failure() != null) ? UnfinishedWork.RETRIES : UnfinishedWork.COMMANDS;
		return (this.holder != null) ? UnfinishedWork.HELD_LOCKS : commands;
	}

	KeySnapshot snapshot() {
		Ticket held = (this.holder != null) ? this.holder.ticket() : null;
		return new KeySnapshot(this.entry.key(), held, this.waiters.size(), !isSettled() || !this.exits.isEmpty());
	}

	private boolean isIdle() {
		return isSettled() && !this.removed && this.waiters.isEmpty() && this.holder == null && this.place == null
				&& this.exits.isEmpty();
	}

	private @Nullable Command nextCommand() {
		if (!isSettled()) {
			return null;
		}
		if (this.place != null && this.exits.isEmpty() && this.waiters.isEmpty()) {
			this.exits.cancel(this.place);
			this.place = null;
			// Now, and not when the store has answered: others must look out.
			this.room.waitsNoMore();
		}
		PendingRelease exit = this.exits.first();
		if (exit != null) {
			return exit.resting ? null : leave(exit);
		}
		if (this.holder != null || this.waiters.isEmpty()) {
			return null;
		}
		if (this.place == null) {
			this.place = QueuedTicket.of(this.entry.key(), this.waiters.first().request(), this.room);
			this.place.due = true;
		}
		this.place.askFor(this.waiters.first().request().lease());
		return this.place.attemptIfDue(!this.waiters.isOnceOnly());
	}

	private Command leave(PendingRelease exit) {
		if (exit.release && exit.heir == null && exit.sends == 0 && liveTicket() == null && !this.waiters.isEmpty()) {
			this.place = QueuedTicket.of(this.entry.key(), this.waiters.first().request(), this.room);
			exit.next = new Successor(this.place.ticket, this.place.lease());
		}
		return exit.send(liveTicket());
	}

}
