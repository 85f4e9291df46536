package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM knows of one key: who waits, who holds, and what is on its way to the
 * store. A state machine: each event changes the state, and then {@link #takeEffects()}
 * says what follows. Guarded by the lock of its {@link LockedKeyQueue}.
 * <p>
 * Invariants:
 * <ul>
 * <li>At most one command of a key is in flight, so commands of one key cannot overtake
 * each other.</li>
 * <li>There is one live ticket at most: it waits in {@link #queuedTicket} or is held by
 * {@link #holder}, never both. The place is set before its first attempt is sent, since a
 * message may come before the reply.</li>
 * <li>A ticket that moved to {@link #releases} is never attempted, renewed or handed on
 * again, and nothing new is attempted before the store has answered its pending.</li>
 * <li>A place belongs to the key, not to a thread: it is kept while anybody waits.</li>
 * <li>Without waiters, holder, place, releases and command in flight the queue is removed
 * from the room, once, and never used again.</li>
 * </ul>
 */
final class KeyQueue extends KeyCallers {

	private final PendingReleases releases;

	private @Nullable QueuedTicket queuedTicket;

	private @Nullable Holder holder;

	/** Whether an attempt of the held ticket was never answered. */
	private boolean doubtful;

	private boolean removed;

	KeyQueue(CommandTarget queue, KeyQueueContext context) {
		super(queue, context);
		this.releases = new PendingReleases(context.clock());
	}

	/** Add a caller to the local queue; answers whether this queue is still in use. */
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
	boolean tryHandOff(Holder holder, Validity validity) {
		dropAbandoned();
		if (this.holder != holder || this.waiters.isEmpty()) {
			return false;
		}
		Waiter next = this.waiters.first();
		if (!this.context.handOffLimits().allow(holder, validity, next.request(), this.context.clock())) {
			return false;
		}
		this.holder = holder.next(validity);
		this.waiters.decide(next, new Outcome.Acquired(this.holder));
		return true;
	}

	/**
	 * The lock goes back to the store, or to a reader of another queue; answers whether
	 * this one still held it.
	 */
	boolean release(Holder holder, long giveUpNanos, @Nullable PendingDowngrade downgrade) {
		if (this.holder != holder) {
			return false;
		}
		this.releases.release(holder.ticket(), this.doubtful, holder.fencingToken(), giveUpNanos, downgrade);
		this.holder = null;
		return true;
	}

	/** A ticket was granted by message; answers whether anybody here knows it. */
	boolean granted(Ticket ticket, Grant grant) {
		QueuedTicket queued = this.queuedTicket;
		if (queued == null || !queued.ticket.equals(ticket)) {
			return ticket.equals(liveTicket()) || this.releases.contains(ticket);
		}
		storeAnswered();
		queued.waited = true;
		if (grant.validity().hasPassed(this.context.clock())) {
			queued.due = true;
		}
		else {
			admit(queued, queued.lease(), grant);
		}
		return true;
	}

	/** Another attempt is worth its while, for one ticket or for whichever waits. */
	void retry(@Nullable Ticket ticket) {
		QueuedTicket queued = this.queuedTicket;
		if (queued != null && (ticket == null || queued.ticket.equals(ticket))) {
			queued.due = true;
		}
	}

	void attemptAnswered(Command.Attempt attempt, AttemptResult result) {
		settled(attempt);
		storeAnswered();
		QueuedTicket queued = this.queuedTicket;
		// A message may have been quicker than the reply.
		if (queued != null && queued.ticket.equals(attempt.ticket())) {
			answered(queued, attempt.lease(), result);
		}
	}

	void attemptFailed(Command.Attempt attempt, LockBackendException cause) {
		settled(attempt);
		QueuedTicket queued = this.queuedTicket;
		if (queued != null && queued.ticket.equals(attempt.ticket())) {
			queued.doubtful = true;
			failed(cause);
		}
		// A message may have been quicker, and its holder may have left before this.
		doubt(attempt.ticket());
	}

	/** The store has answered a release (or a cancel, then without a result). */
	void releaseAnswered(PendingRelease pending, @Nullable ReleaseResult result) {
		settled(pending);
		storeAnswered();
		gone(pending, (result != null) ? result.next() : null);
	}

	void releaseFailed(PendingRelease pending, LockBackendException cause) {
		settled(pending);
		failed(pending.notAttempted(cause));
		if (this.releases.rest(pending)) {
			gone(pending, null);
		}
	}

	/** A timer of this queue fired. */
	void timerFired() {
		RetryTimer timer = retryTimer();
		if (timer.rings()) {
			this.releases.wake();
			QueuedTicket queued = this.queuedTicket;
			if (queued != null) {
				queued.due |= timer.looks();
			}
		}
	}

	/**
	 * An error cut short an event of this command: it is settled without an answer.
	 */
	void recover(Command command) {
		boolean wasInFlight = settled(command);
		if (wasInFlight && this.queuedTicket != null) {
			this.queuedTicket.doubtful = true;
		}
		// An heir must never ask again: another writer may have been in between.
		this.waiters.decideAll(new Outcome.TimedOut(), Waiter::isDowngrade);
		if (command instanceof Command.Attempt attempt) {
			doubt(attempt.ticket());
			if (wasInFlight && !attempt.ticket().equals(liveTicket()) && !this.releases.contains(attempt.ticket())) {
				// The event may have been cut short between two states of the ticket.
				this.releases.cancel(attempt.ticket());
			}
		}
		retryAll();
	}

	/** An attempt of a ticket may have been made, and may still be on its way. */
	private void doubt(Ticket ticket) {
		this.doubtful |= this.holder != null && this.holder.ticket().equals(ticket);
		this.releases.doubt(ticket);
	}

	/** Whatever is left to be done is due. */
	void retryAll() {
		this.releases.wake();
		if (this.queuedTicket != null) {
			this.queuedTicket.due = true;
		}
	}

	private void gone(PendingRelease pending, @Nullable AttemptResult next) {
		this.releases.remove(pending);
		QueuedTicket queued = this.queuedTicket;
		if (queued != null) {
			queued.waited = true;
			if (next != null && pending.next != null) {
				answered(queued, pending.next.lease(), next);
			}
			else {
				// Nobody told whether it is queued: it must ask.
				queued.due = true;
			}
		}
	}

	private void answered(QueuedTicket queued, Duration asked, AttemptResult result) {
		if (result instanceof AttemptResult.Granted granted) {
			if (granted.grant().validity().hasPassed(this.context.clock())) {
				// For one that asks once this was it. And an heir must never ask: another
				// writer may have been in between.
				this.waiters.ofKind(Waiter::isOnce).forEach((once) -> dismiss(once, new Outcome.TimedOut()));
				retryTimer().afterStaleGrant();
			}
			else {
				admit(queued, asked, granted.grant());
			}
			return;
		}
		queued.waited = true;
		this.waiters.decideAll(new Outcome.TimedOut(), Waiter::isOnce);
		if (result instanceof AttemptResult.Waiting later) {
			retryTimer().after(later.lookAgain());
			if (queued.queue(later.queuedNow())) {
				this.context.requeuedAtEnd();
			}
		}
		else if (this.waiters.isEmpty() && queued.isUnknown()) {
			// The only caller did not want to wait, and the store knows nothing of it.
			this.queuedTicket = null;
			this.context.leftQueue();
		}
		else {
			queued.due = true;
		}
	}

	private void admit(QueuedTicket queued, Duration asked, Grant grant) {
		if (this.releases.isEmpty()) {
			// Not while a pending release rests: it is still to be woken.
			rest();
		}
		this.context.leftQueue();
		this.queuedTicket = null;
		dropAbandoned();
		if (this.waiters.isEmpty() || asked.compareTo(this.waiters.first().request().lease()) > 0) {
			// All have left meanwhile, or the one that wanted such a long lease.
			this.releases.giveBack(queued, asked, grant);
			return;
		}
		queued.askFor(this.waiters.first().request().lease());
		Holder holder = queued.admit(grant, this.context.clock().nanoTime());
		this.holder = holder;
		this.doubtful = queued.doubtful;
		this.waiters.decide(this.waiters.first(), new Outcome.Acquired(holder));
	}

	/**
	 * Find out what follows from the events so far. Call it once after each.
	 */
	Effects takeEffects() {
		Command lost = lost();
		if (lost != null) {
			recover(lost);
		}
		dropAbandoned();
		failWithoutTimer();
		Command command = nextCommand();
		Effects effects = new Effects(command, takeWoken(), this.releases.takeStray());
		if (command != null) {
			sending(command);
		}
		else if (isIdle()) {
			this.removed = true;
			this.context.remove(this.queue.key());
		}
		return effects;
	}

	@Override
	boolean isLeaving(Ticket ticket) {
		boolean abandoned = this.queuedTicket != null && this.queuedTicket.ticket.equals(ticket)
				&& this.waiters.isEmpty();
		return (abandoned || this.releases.isLeaving(ticket)) && failure() == null;
	}

	@Override
	@Nullable Ticket waitingTicket() {
		return (this.queuedTicket != null) ? this.queuedTicket.ticket : null;
	}

	private @Nullable Ticket liveTicket() {
		return (this.queuedTicket == null && this.holder != null) ? this.holder.ticket() : waitingTicket();
	}

	/** What a shutdown would have to wait for. */
	UnfinishedWork unfinished() {
		UnfinishedWork commands = (failure() != null) ? UnfinishedWork.RETRIES : UnfinishedWork.COMMANDS;
		return (this.holder != null) ? UnfinishedWork.HELD_LOCKS : commands;
	}

	KeySnapshot snapshot() {
		Ticket held = (this.holder != null) ? this.holder.ticket() : null;
		return new KeySnapshot(this.queue.key(), held, this.waiters.size(), !isSettled() || !this.releases.isEmpty());
	}

	private boolean isIdle() {
		return isSettled() && !this.removed && this.waiters.isEmpty() && this.holder == null
				&& this.queuedTicket == null && this.releases.isEmpty();
	}

	private @Nullable Command nextCommand() {
		if (!isSettled()) {
			return null;
		}
		if (this.queuedTicket != null && this.releases.isEmpty() && this.waiters.isEmpty()) {
			this.releases.cancel(this.queuedTicket);
			this.queuedTicket = null;
			// Now, and not when the store has answered: others must look out.
			this.context.leftQueue();
		}
		PendingRelease pending = this.releases.first();
		if (pending != null) {
			return pending.resting ? null : leave(pending);
		}
		if (this.holder != null || this.waiters.isEmpty()) {
			return null;
		}
		if (this.queuedTicket == null) {
			this.queuedTicket = QueuedTicket.of(this.queue.key(), this.waiters.first().request(), this.context);
			this.queuedTicket.due = true;
		}
		this.queuedTicket.askFor(this.waiters.first().request().lease());
		return this.queuedTicket.attemptIfDue(!this.waiters.isOnceOnly());
	}

	private Command leave(PendingRelease pending) {
		if (pending.releasesLock && pending.downgrade == null && pending.sends == 0 && liveTicket() == null
				&& !this.waiters.isEmpty()) {
			this.queuedTicket = QueuedTicket.of(this.queue.key(), this.waiters.first().request(), this.context);
			pending.next = new Successor(this.queuedTicket.ticket, this.queuedTicket.lease());
		}
		return pending.send(liveTicket());
	}

}
