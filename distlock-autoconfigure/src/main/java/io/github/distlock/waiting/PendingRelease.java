package io.github.distlock.waiting;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.waiting.Effects.Command;
import org.jspecify.annotations.Nullable;

/**
 * A ticket that leaves the store: released or cancelled until the store acknowledges it,
 * or until its lease has passed and it no longer matters. Guarded by the lock of the
 * queue, except for what never changes.
 */
final class PendingRelease {

	final Ticket ticket;

	/** Whether the command is a release; otherwise it is a cancel. */
	final boolean releasesLock;

	final long lastToken;

	/**
	 * Whether an attempt was never answered: a copy of it may still be on its way.
	 */
	boolean attemptUnanswered;

	final long giveUpNanos;

	/** What becomes of the answer, if no caller waits for it. */
	final @Nullable BackgroundRelease background;

	/** The ticket that the same command queues; the same in each repetition. */
	@Nullable Successor next;

	int sends;

	/** Whether the next repetition waits for its time. */
	boolean deferred;

	PendingRelease(Ticket ticket, boolean attemptUnanswered, boolean releasesLock, long lastToken, long giveUpNanos,
			@Nullable BackgroundRelease background) {
		this.ticket = ticket;
		this.releasesLock = releasesLock;
		this.lastToken = lastToken;
		this.attemptUnanswered = attemptUnanswered;
		this.giveUpNanos = giveUpNanos;
		this.background = background;
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
				: new LockBackendException("Lock '" + this.ticket.key() + "' was not attempted, because the store"
						+ " has not confirmed the release of its previous holder or waiter in this JVM: "
						+ cause.getMessage(), cause);
	}

}
