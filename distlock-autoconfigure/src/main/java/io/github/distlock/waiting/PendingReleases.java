package io.github.distlock.waiting;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.waiting.Effects.Command;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of one key that leave the store, one after the other. Usually there is one
 * at most. There are two if a successor that was queued by a release is granted the lock
 * by a message and leaves before that release is answered. Guarded by the lock of the
 * {@link KeyQueue}.
 */
final class PendingReleases {

	/**
	 * A ticket whose cancel is not answered is forgotten after this time.
	 */
	private static final long CANCEL_TIMEOUT_NANOS = Duration.ofSeconds(15).toNanos();

	/**
	 * The oldest first. Takes no memory of its own while empty, as for each held lock.
	 */
	private List<PendingRelease> pending = List.of();

	private final TimeSource clock;

	/** A ticket that has left although a copy of its attempt may still be on its way. */
	private @Nullable Ticket stray;

	PendingReleases(TimeSource clock) {
		this.clock = clock;
	}

	boolean isEmpty() {
		return this.pending.isEmpty();
	}

	@Nullable PendingRelease first() {
		return this.pending.isEmpty() ? null : this.pending.get(0);
	}

	/** Whether the first one waits for its repetition. */
	boolean isFirstDeferred() {
		return !this.pending.isEmpty() && this.pending.get(0).deferred;
	}

	/** Whether there is only this one. */
	boolean isOnly(PendingRelease release) {
		return this.pending.size() == 1 && this.pending.get(0) == release;
	}

	/**
	 * Release the lock of a holder that leaves.
	 * @param downgrade the reader that keeps the lock, if there is one
	 * @param background if no caller waits for the answer
	 */
	void release(Holder holder, boolean attemptUnanswered, long giveUpNanos, @Nullable PendingDowngrade downgrade,
			@Nullable BackgroundRelease background) {
		add(new PendingRelease(holder.ticket(), attemptUnanswered, true, holder.fencingToken(), giveUpNanos, downgrade,
				background));
	}

	/**
	 * Release a lock that was granted and that no caller wants.
	 * @param lease the lease that the store was asked for
	 */
	void giveBack(QueuedTicket queued, Duration lease, Grant grant) {
		add(new PendingRelease(queued.ticket, queued.attemptUnanswered, true, grant.firstToken(),
				this.clock.nanoTime() + lease.toNanos(), null, null));
	}

	void cancel(QueuedTicket queued) {
		cancel(queued.ticket, queued.attemptUnanswered);
	}

	/**
	 * Cancel a ticket.
	 * @param attemptUnanswered whether a copy of its attempt may still be on its way
	 */
	void cancel(Ticket ticket, boolean attemptUnanswered) {
		add(new PendingRelease(ticket, attemptUnanswered, false, 0, this.clock.nanoTime() + CANCEL_TIMEOUT_NANOS, null,
				null));
	}

	private void add(PendingRelease added) {
		if (this.pending.isEmpty()) {
			this.pending = List.of(added);
		}
		else {
			this.pending = Stream.concat(this.pending.stream(), Stream.of(added)).toList();
		}
	}

	/** A ticket has left the store, or its release is given up. */
	void remove(PendingRelease removed) {
		this.pending = (this.pending.size() == 1 && this.pending.contains(removed)) ? List.of()
				: this.pending.stream().filter((other) -> other != removed).toList();
		if (removed.attemptUnanswered) {
			this.stray = removed.ticket;
		}
		if (removed.background != null) {
			removed.background.end();
		}
	}

	/**
	 * A release was not answered: repeat it later.
	 * @return whether a repetition is pointless, since the lease has passed
	 */
	boolean defer(PendingRelease failed) {
		failed.deferred = true;
		return this.clock.nanoTime() - failed.giveUpNanos >= 0;
	}

	boolean contains(Ticket ticket) {
		return this.pending.stream().anyMatch((each) -> each.ticket.equals(ticket));
	}

	/** Whether a ticket is among these and an answer for it is expected. */
	boolean expectsAnswerFor(Ticket ticket) {
		return this.pending.stream().anyMatch((each) -> each.ticket.equals(ticket) && !each.deferred);
	}

	/** An attempt of a ticket that may be among these was not answered. */
	void markAttemptUnanswered(Ticket ticket) {
		this.pending.stream()
			.filter((each) -> each.ticket.equals(ticket))
			.forEach((each) -> each.attemptUnanswered = true);
	}

	/** Allow the repetition of those that were deferred. */
	void resume() {
		this.pending.forEach((each) -> each.deferred = false);
	}

	boolean hasStray() {
		return this.stray != null;
	}

	/** Take the ticket that has to be cancelled once more, later. */
	@Nullable Ticket takeStray() {
		Ticket taken = this.stray;
		this.stray = null;
		return taken;
	}

	/**
	 * A ticket that leaves the store: released or cancelled until the store acknowledges
	 * it, or until its lease has passed and it no longer matters. Guarded by the lock of
	 * the queue, except for what never changes.
	 */
	static final class PendingRelease {

		final Ticket ticket;

		/** Whether the command is a release; otherwise it is a cancel. */
		final boolean releasesLock;

		final long lastToken;

		/**
		 * Whether an attempt was never answered: a copy of it may still be on its way.
		 */
		boolean attemptUnanswered;

		final long giveUpNanos;

		/** The reader that continues if the first command is answered. */
		final @Nullable PendingDowngrade downgrade;

		/** What becomes of the answer, if no caller waits for it. */
		final @Nullable BackgroundRelease background;

		/**
		 * Whether the store has answered. Read for an attempt that was sent behind this
		 * release, which may be answered later.
		 */
		boolean answered;

		/** The ticket that the same command queues; the same in each repetition. */
		@Nullable Successor next;

		int sends;

		/** Whether the next repetition waits for its time. */
		boolean deferred;

		private PendingRelease(Ticket ticket, boolean attemptUnanswered, boolean releasesLock, long lastToken,
				long giveUpNanos, @Nullable PendingDowngrade downgrade, @Nullable BackgroundRelease background) {
			this.ticket = ticket;
			this.releasesLock = releasesLock;
			this.lastToken = lastToken;
			this.attemptUnanswered = attemptUnanswered;
			this.giveUpNanos = giveUpNanos;
			this.downgrade = downgrade;
			this.background = background;
		}

		/**
		 * Create the command to send, for the first time or as a repetition.
		 * @param live the ticket that waits or is held now
		 */
		Command send(@Nullable Ticket live) {
			this.sends++;
			if (this.downgrade != null) {
				// If the first release was not answered, the downgrade is not repeated.
				return (this.sends == 1) ? new Command.Release(this, this.downgrade.successor(), this.downgrade)
						: new Command.Release(this, null, null);
			}
			// The successor may have held the lock and left: never queue it again.
			boolean nextLives = this.next != null && this.next.ticket().equals(live);
			return new Command.Release(this, nextLives ? this.next : null, null);
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

}
