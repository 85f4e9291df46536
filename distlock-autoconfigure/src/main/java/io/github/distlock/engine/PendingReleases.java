package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.engine.Effects.Command;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of one key that leave the store, one after the other. Usually there is one
 * ticket at most. There are two if a successor that was queued by a release is granted
 * the lock by a message and leaves before that release is answered. Guarded by the lock
 * of the {@link KeyState}.
 */
final class PendingReleases {

	/**
	 * Shared empty instance: a held lock needs no object of its own. Nothing is ever
	 * added to it.
	 */
	static final PendingReleases NONE = new PendingReleases();

	/**
	 * A ticket whose cancel is not answered is forgotten after this time.
	 */
	private static final long CANCEL_TIMEOUT_NANOS = Duration.ofSeconds(15).toNanos();

	/** Oldest first. Small: usually there is one. */
	private final List<PendingRelease> leaving = new ArrayList<>(1);

	/** A ticket that has left although a copy of its attempt may still be on its way. */
	private @Nullable Ticket stray;

	boolean isEmpty() {
		return this.leaving.isEmpty();
	}

	@Nullable PendingRelease first() {
		return isEmpty() ? null : this.leaving.get(0);
	}

	/** Release a lock whose holder leaves. */
	void release(PendingRelease release) {
		this.leaving.add(release);
	}

	/**
	 * Release a lock that was granted and that no caller wants.
	 * @param lease the lease that the store was asked for
	 */
	void giveBack(QueuedTicket queued, Duration lease, Grant grant, long nowNanos) {
		this.leaving.add(new PendingRelease(queued, true, grant.firstToken(), nowNanos + lease.toNanos()));
	}

	/** Cancel a ticket. */
	void cancel(QueuedTicket queued, long nowNanos) {
		this.leaving.add(new PendingRelease(queued, false, 0, nowNanos + CANCEL_TIMEOUT_NANOS));
	}

	/** A ticket has left the store, or its release is given up. */
	void remove(PendingRelease removed) {
		this.leaving.remove(removed);
		if (removed.attemptUnanswered) {
			this.stray = removed.ticket;
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
		return this.leaving.stream().filter((each) -> each.ticket.equals(ticket)).findFirst().orElse(null);
	}

	/** Allow the repetition of those that were deferred. */
	void resume() {
		this.leaving.forEach((each) -> each.deferred = false);
	}

	/** Take the ticket that has to be cancelled once more, later. */
	@Nullable Ticket takeStray() {
		Ticket taken = this.stray;
		if (taken != null) {
			this.stray = null;
		}
		return taken;
	}

	/**
	 * A ticket that leaves the store: released or cancelled until the store acknowledges
	 * it, or until its lease has passed and it no longer matters. Guarded by the lock of
	 * the key state, except for what never changes, and for the future.
	 * <p>
	 * The future completes once, after that lock was returned, on the thread that has the
	 * first answer. A repetition brings no other outcome than
	 * {@link ReleaseOutcome#UNANSWERED}: the first command may have been executed.
	 */
	static final class PendingRelease extends CompletableFuture<ReleaseOutcome> {

		final Ticket ticket;

		/** Whether the command is a release; otherwise it is a cancel. */
		final boolean releasesLock;

		final long lastToken;

		/**
		 * Whether an attempt was never answered: a copy of it may still be on its way.
		 */
		boolean attemptUnanswered;

		final long giveUpNanos;

		/** The ticket that the same command queues; the same in each repetition. */
		@Nullable Successor next;

		int sends;

		/** Whether the next repetition waits for its time. */
		boolean deferred;

		PendingRelease(Hold leaving, long giveUpNanos) {
			this(leaving, true, leaving.fencingToken(), giveUpNanos);
		}

		PendingRelease(LiveTicket leaving, boolean releasesLock, long lastToken, long giveUpNanos) {
			this.ticket = leaving.ticket;
			this.releasesLock = releasesLock;
			this.lastToken = lastToken;
			this.attemptUnanswered = leaving.attemptUnanswered;
			this.giveUpNanos = giveUpNanos;
		}

		/**
		 * Create the command to send, for the first time or as a repetition.
		 * @param live the ticket that waits or is held now
		 */
		Command send(@Nullable Ticket live) {
			this.sends++;
			// The successor may have held the lock and left: never queue it again.
			boolean nextLives = this.next != null && this.next.ticket().equals(live);
			return new Command.Release(this, nextLives ? this.next : null);
		}

		/**
		 * The exception for a waiting caller: its own attempt was not sent, and why.
		 * @param cause why this ticket could not leave the store
		 */
		LockBackendException notAttempted(LockBackendException cause) {
			return (cause instanceof StoreUnusableException) ? cause
					: new LockBackendException(cause.getMessage() + "; lock '" + this.ticket.key()
							+ "' was not attempted while an earlier command for it is unanswered", cause);
		}

	}

}
