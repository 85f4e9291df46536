package io.github.distlock.waiting;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * A ticket on its way out of the store: released or cancelled until that is acknowledged,
 * or until its lease has passed and it does not matter any more. Guarded by the queue's
 * lock, but for what never changes.
 */
final class PendingRelease {

	final Ticket ticket;

	/** Release if true, otherwise cancel. */
	final boolean releasesLock;

	final long lastToken;

	/** Whether an attempt of this ticket was never answered: a copy may still run. */
	boolean doubtful;

	final long giveUpNanos;

	/** Who keeps the lock as a reader, if the first command is answered. */
	final @Nullable PendingDowngrade downgrade;

	/** Who is queued in the same trip; the same in each repetition. */
	@Nullable Successor next;

	int sends;

	/** Whether the next repetition waits for its time. */
	boolean resting;

	private PendingRelease(Ticket ticket, boolean doubtful, boolean releasesLock, long lastToken, long giveUpNanos,
			@Nullable PendingDowngrade downgrade) {
		this.ticket = ticket;
		this.releasesLock = releasesLock;
		this.lastToken = lastToken;
		this.doubtful = doubtful;
		this.giveUpNanos = giveUpNanos;
		this.downgrade = downgrade;
	}

	/**
	 * What to send for it, once more or for the first time.
	 * @param live the ticket that waits or is held now
	 */
	Command send(@Nullable Ticket live) {
		this.sends++;
		if (this.downgrade != null) {
			// Without an answer to the first command nobody reads on.
			return (this.sends == 1) ? new Command.Release(this, this.downgrade.successor(), this.downgrade)
					: new Command.Release(this, null, null);
		}
		// The next one may have been admitted and left meanwhile: never queue it again.
		boolean nextLives = this.next != null && this.next.ticket().equals(live);
		return new Command.Release(this, nextLives ? this.next : null, null);
	}

	/**
	 * What a caller that waits is to know: its own attempt was not sent, and why.
	 * @param cause why this ticket could not leave the store
	 */
	LockBackendException notAttempted(LockBackendException cause) {
		return (cause instanceof StoreUnusableException) ? cause
				: new LockBackendException("Lock '" + this.ticket.key() + "' was not attempted, since the ticket of"
						+ " its last holder or waiter in this JVM could not leave the store before: "
						+ cause.getMessage(), cause);
	}

	static PendingRelease release(Ticket ticket, boolean doubtful, long lastToken, long giveUpNanos,
			@Nullable PendingDowngrade downgrade) {
		return new PendingRelease(ticket, doubtful, true, lastToken, giveUpNanos, downgrade);
	}

	static PendingRelease cancel(Ticket ticket, boolean doubtful, long giveUpNanos) {
		return new PendingRelease(ticket, doubtful, false, 0, giveUpNanos, null);
	}

}
