package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.waiting.Effects.Command;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of one key that leave the store, one after the other, and the rules for
 * what may be sent before a release is answered. Usually there is one ticket at most.
 * There are two if a successor that was queued by a release is granted the lock by a
 * message and leaves before that release is answered, or if the holder behind a release
 * in the background leaves before that one is answered. Guarded by the lock of the
 * {@link KeyQueue}.
 * <p>
 * <b>Releases in the background.</b> A release without a waiting caller becomes ordered
 * after the store has written it to the one connection of the key, and not when it is
 * decided: between the two another thread could write an attempt first. Exclusion and
 * rising tokens do not depend on this order, since the store decides by tickets. What
 * depends on it is the meaning of a refusal. If the release was answered, the attempt
 * behind it was executed after it, and its refusal counts. If the release has failed, or
 * is still unanswered, the attempt may have met the ticket that was to be released. So
 * the refusal is noted only, and the attempt is repeated when the release has been
 * settled. That one rule covers what may happen to the release:
 * <ul>
 * <li>Its reply is lost, or the connection: the release fails. It is repeated like any
 * other, alone, after the attempt behind it is settled. If that was granted the lock, the
 * holder and the repeated release exist together; the store answers the latter that the
 * ticket is gone.</li>
 * <li>The server has forgotten the script: the release fails. The store must not send the
 * text instead, which would be executed after the attempt, and perhaps be answered before
 * this JVM has seen the answer of the attempt.</li>
 * <li>The lease has just expired, or the process was paused between the check of the
 * lease and the sending: the store answers that the ticket is gone, which is reported as
 * a loss. A pause after the sending delays only callers of this JVM.</li>
 * <li>Two threads: the lock of the queue orders the end of the writing before each
 * attempt behind it.</li>
 * <li>An interrupt: sending does not wait, so there is nothing to end early.</li>
 * <li>An error: the sender settles the release as failed, or the next event does so. The
 * store may execute a release and its repetition; each ends its own ticket only.</li>
 * </ul>
 * Where the store keeps no order, the release stays the command in flight until it is
 * answered. Tickets of the same key in other queues wait, too, as long as the release
 * {@linkplain #isOvertakable() can be overtaken}.
 */
final class PendingReleases {

	/**
	 * Of all queues that no ticket leaves, so that a held lock needs none of its own.
	 * Nothing is ever added to it.
	 */
	static final PendingReleases NONE = new PendingReleases();

	/**
	 * A ticket whose cancel is not answered is forgotten after this time.
	 */
	private static final long CANCEL_TIMEOUT_NANOS = Duration.ofSeconds(15).toNanos();

	/** Linked to the younger ones, so that a cycle needs no list. */
	private @Nullable PendingRelease oldest;

	/** A ticket that has left although a copy of its attempt may still be on its way. */
	private @Nullable Ticket stray;

	/**
	 * A release without a waiting caller that is on its way and not settled. Either it
	 * was sent in order, and is the oldest then, or a later command of this JVM could
	 * overtake it. Written under the lock; queues of other tickets of the key read it
	 * without.
	 */
	private volatile Command.@Nullable Release background;

	boolean isEmpty() {
		return this.oldest == null;
	}

	@Nullable PendingRelease first() {
		return this.oldest;
	}

	/** Whether the first one waits for its repetition. */
	boolean isFirstDeferred() {
		return this.oldest != null && this.oldest.deferred;
	}

	/**
	 * Release the lock of a holder that leaves.
	 * @param background if no caller waits for the answer
	 */
	void release(Holder holder, boolean attemptUnanswered, long giveUpNanos, @Nullable BackgroundRelease background) {
		add(new PendingRelease(holder.ticket(), attemptUnanswered, true, holder.fencingToken(), giveUpNanos,
				background));
	}

	/**
	 * Release a lock that was granted and that no caller wants.
	 * @param lease the lease that the store was asked for
	 */
	void giveBack(QueuedTicket queued, Duration lease, Grant grant, long nowNanos) {
		add(new PendingRelease(queued.ticket, queued.attemptUnanswered, true, grant.firstToken(),
				nowNanos + lease.toNanos(), null));
	}

	/**
	 * Cancel a ticket.
	 * @param attemptUnanswered whether a copy of its attempt may still be on its way
	 */
	void cancel(Ticket ticket, boolean attemptUnanswered, long nowNanos) {
		add(new PendingRelease(ticket, attemptUnanswered, false, 0, nowNanos + CANCEL_TIMEOUT_NANOS, null));
	}

	private void add(PendingRelease added) {
		PendingRelease last = this.oldest;
		if (last == null) {
			this.oldest = added;
			return;
		}
		while (last.younger != null) {
			last = last.younger;
		}
		last.younger = added;
	}

	/** A ticket has left the store, or its release is given up. */
	void remove(PendingRelease removed) {
		if (this.oldest == removed) {
			this.oldest = removed.younger;
		}
		for (PendingRelease each = this.oldest; each != null; each = each.younger) {
			if (each.younger == removed) {
				each.younger = removed.younger;
			}
		}
		if (removed.attemptUnanswered) {
			this.stray = removed.ticket;
		}
		if (removed.background != null) {
			removed.background.end();
		}
	}

	boolean contains(Ticket ticket) {
		return find(ticket) != null;
	}

	/** Whether a ticket is among these and an answer for it is expected. */
	boolean expectsAnswerFor(Ticket ticket) {
		PendingRelease found = find(ticket);
		return found != null && !found.deferred;
	}

	/** An attempt of a ticket that may be among these was not answered. */
	void markAttemptUnanswered(Ticket ticket) {
		PendingRelease found = find(ticket);
		if (found != null) {
			found.attemptUnanswered = true;
		}
	}

	private @Nullable PendingRelease find(Ticket ticket) {
		PendingRelease each = this.oldest;
		while (each != null && !each.ticket.equals(ticket)) {
			each = each.younger;
		}
		return each;
	}

	/** Allow the repetition of those that were deferred. */
	void resume() {
		for (PendingRelease each = this.oldest; each != null; each = each.younger) {
			each.deferred = false;
		}
	}

	boolean hasStray() {
		return this.stray != null;
	}

	/** Take the ticket that has to be cancelled once more, later. */
	@Nullable Ticket takeStray() {
		Ticket taken = this.stray;
		if (taken != null) {
			this.stray = null;
		}
		return taken;
	}

	// What may be sent before a release is answered

	/**
	 * Whether no attempt may be sent. Behind the only release, if it was sent in order,
	 * the first attempt of a new ticket may.
	 */
	boolean blockAttempt(boolean newTicket) {
		PendingRelease first = this.oldest;
		return first != null && (!newTicket || first.younger != null || sentInOrder() == null);
	}

	/** The release or cancel to send now, if no command is in flight. */
	@Nullable PendingRelease next() {
		PendingRelease first = this.oldest;
		return (first == null || first.deferred || sentInOrder() != null) ? null : first;
	}

	/** The release that is expected to be answered and that an attempt may follow. */
	Command.@Nullable Release sentInOrder() {
		Command.Release current = this.background;
		return (current != null && current.sentInOrder) ? current : null;
	}

	/**
	 * Whether attempts of other queues of the key have to wait for a release, which they
	 * could overtake. Called without the lock, too.
	 */
	boolean isOvertakable() {
		Command.Release current = this.background;
		return current != null && !current.sentInOrder;
	}

	/**
	 * A command is about to be sent. Attempts of other queues do not wait for the
	 * repetition of a release: their callers would wait as long as it fails.
	 */
	void sending(Command command) {
		if (command instanceof Command.Release release && release.isUnawaited()) {
			this.background = release;
		}
	}

	/**
	 * A release without a waiting caller was sent over a connection that keeps the order.
	 * @return whether others could have overtaken it until now
	 */
	boolean sentInOrder(Command.Release release) {
		boolean overtakable = this.background == release && !release.sentInOrder;
		release.sentInOrder = true;
		this.background = release;
		return overtakable;
	}

	/**
	 * A release was answered, or has failed.
	 * @return whether others could have overtaken it until now
	 */
	boolean settle(PendingRelease pending) {
		Command.Release current = this.background;
		if (current == null || current.pending() != pending) {
			return false;
		}
		this.background = null;
		return !current.sentInOrder;
	}

}
