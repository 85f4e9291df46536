package io.github.distlock.engine;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * A caller that holds the lock, from its grant or hand-off to its release. Several
 * holders may follow each other under one grant of the store. Compared by identity.
 */
public final class Holder extends LiveTicket {

	private final Duration lease;

	private final HandOff handOff;

	private final long fencingToken;

	private final long lastToken;

	private final long grantedAtNanos;

	/** How many holders under the same grant came before this one. */
	private final int handOffs;

	/**
	 * The validity at the start. Stale after the first renewal, so it is moved to the
	 * lease and not kept. Written only by the caller that acquired the lock.
	 */
	private volatile @Nullable Validity validity;

	/** Whether the caller wants the lock no longer. */
	private volatile boolean left;

	private Holder(Ticket ticket, boolean attemptUnanswered, Duration lease, HandOff handOff, long fencingToken,
			long lastToken, long grantedAtNanos, int handOffs, Validity validity) {
		super(ticket, attemptUnanswered);
		this.lease = lease;
		this.handOff = handOff;
		this.fencingToken = fencingToken;
		this.lastToken = lastToken;
		this.grantedAtNanos = grantedAtNanos;
		this.handOffs = handOffs;
		this.validity = validity;
	}

	/** Create the first holder under a grant of the store. */
	static Holder first(QueuedTicket queued, Grant grant, HandOff handOff, long nowNanos) {
		return new Holder(queued.ticket, queued.attemptUnanswered, queued.lease(), handOff, grant.firstToken(),
				grant.lastToken(), nowNanos, 0, grant.validity());
	}

	/** Create the holder that follows this one under the same grant. */
	Holder next(Validity current) {
		return new Holder(this.ticket, this.attemptUnanswered, this.lease, HandOff.LOCAL, this.fencingToken + 1,
				this.lastToken, this.grantedAtNanos, this.handOffs + 1, current);
	}

	@Override
	StoredHolder blockedBy() {
		return new StoredHolder(this.ticket.instance(), this.ticket.mode(), null, null, grantToken());
	}

	/** The caller wants the lock no longer: the release that follows must not fail. */
	void leave() {
		this.left = true;
	}

	/**
	 * Whether the lock is to be released: its caller has left, or the grant had expired
	 * before the caller took it over, so that the caller does not use it either.
	 */
	boolean hasLeft(TimeSource clock) {
		Validity untaken = this.validity;
		return this.left || (untaken != null && untaken.hasPassed(clock));
	}

	/** The lease that the store was asked for. */
	Duration lease() {
		return this.lease;
	}

	/** When the grant of the store arrived in this JVM. */
	long grantedAtNanos() {
		return this.grantedAtNanos;
	}

	/** How many holders under the same grant came before this one. */
	int handOffs() {
		return this.handOffs;
	}

	/**
	 * Return whether the caller comes too late to take the grant over.
	 * @param clock the time
	 * @return whether the grant has expired, or its validity has been taken
	 */
	public boolean hasPassed(TimeSource clock) {
		Validity current = this.validity;
		return current == null || current.hasPassed(clock);
	}

	/**
	 * How long the grant lasts in the store, whatever the wall clock says; a whole lease
	 * if its validity has been taken.
	 */
	long remainingNanos(TimeSource clock) {
		Validity current = this.validity;
		return (current != null) ? current.remainingNanosAt(clock.nanoTime()) : this.lease.toNanos();
	}

	/**
	 * Take the validity over, once. The caller renews the lease from now on, and keeps
	 * its validity.
	 * @return the validity of the grant unless it is renewed
	 */
	public Validity takeValidity() {
		Validity taken = this.validity;
		if (taken == null) {
			throw new IllegalStateException("The validity of " + this.ticket + " has already been taken");
		}
		this.validity = null;
		return taken;
	}

	/**
	 * Return the ticket that holds the lock in the store.
	 * @return the ticket
	 */
	public Ticket ticket() {
		return this.ticket;
	}

	/**
	 * Return the last token of the grant, which names the grant in the store.
	 * @return the token
	 */
	public long lastToken() {
		return this.lastToken;
	}

	/**
	 * Return the first fencing token of the grant, which is the same for all holders that
	 * follow each other under it.
	 * @return the token
	 */
	public long grantToken() {
		return this.fencingToken - this.handOffs;
	}

	/**
	 * Return how the lock was passed to this holder.
	 * @return the hand-off
	 */
	public HandOff handOff() {
		return this.handOff;
	}

	/**
	 * Return the fencing token of this holder: unique, and higher than those of all
	 * holders before it.
	 * @return the token
	 */
	public long fencingToken() {
		return this.fencingToken;
	}

	/**
	 * The outcome of a release.
	 */
	public enum ReleaseOutcome {

		/** The store has released the lock. */
		RELEASED,

		/** The next waiter of this JVM holds the lock, without a command. */
		HANDED_OFF,

		/** The store no longer knew this holder: the lock had been lost. */
		GONE,

		/**
		 * The release was sent without waiting for the answer, or will be sent in the
		 * background after a command that is on its way.
		 */
		PENDING,

		/** The store did not answer. The release is repeated in the background. */
		UNANSWERED

	}

	/**
	 * Receives what becomes of a release that no caller waits for.
	 */
	public interface ReleaseObserver {

		/**
		 * The store no longer knew the holder: the lock had been lost. Must not block.
		 */
		void gone();

		/**
		 * The store has not answered, and the release is repeated. Must not block.
		 */
		void unanswered();

	}

}
