package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * The right to be inside, until it is given back to the waiting room. Compared by
 * identity: each admission is one stay. Several may follow each other under one grant.
 */
public final class Holder {

	private final Ticket ticket;

	private final Duration lease;

	private final HandOff handOff;

	private final long fencingToken;

	private final long lastToken;

	private final long turnStartNanos;

	/** How many stays under the same grant came before this one. */
	private final int passed;

	/**
	 * Until when it counts, as known when it was given. After a renewal that is old news,
	 * and whoever holds knows better: so it is handed over and not kept. Only the one who
	 * was admitted touches it.
	 */
	private @Nullable Validity validity;

	private Holder(Ticket ticket, Duration lease, HandOff handOff, long fencingToken, long lastToken,
			long turnStartNanos, int passed, Validity validity) {
		this.ticket = ticket;
		this.lease = lease;
		this.handOff = handOff;
		this.fencingToken = fencingToken;
		this.lastToken = lastToken;
		this.turnStartNanos = turnStartNanos;
		this.passed = passed;
		this.validity = validity;
	}

	/** The first stay under a grant of the store. */
	static Holder first(Ticket ticket, Duration lease, Grant grant, HandOff handOff, long nowNanos) {
		return new Holder(ticket, lease, handOff, grant.firstToken(), grant.lastToken(), nowNanos, 0, grant.validity());
	}

	/** The stay of the one to whom this one passes the lock. */
	Holder next(Validity current) {
		return new Holder(this.ticket, this.lease, HandOff.LOCAL, this.fencingToken + 1, this.lastToken,
				this.turnStartNanos, this.passed + 1, current);
	}

	/** What the store was asked for. */
	Duration lease() {
		return this.lease;
	}

	/** When the store's grant came, with which this JVM's turn began. */
	long turnStartNanos() {
		return this.turnStartNanos;
	}

	/** How many stays under the same grant came before this one. */
	int passed() {
		return this.passed;
	}

	/** Whether it counts no longer, before anybody has taken its validity. */
	boolean hasPassed(TimeSource clock) {
		return this.validity == null || this.validity.hasPassed(clock);
	}

	/** How long it counts; as long as a whole lease once somebody else knows better. */
	long leftNanos(TimeSource clock) {
		Validity known = this.validity;
		return (known != null) ? known.remainingNanos(clock) : this.lease.toNanos();
	}

	/**
	 * Take the validity over, once: from now on the caller knows until when it counts.
	 * @return until when it counts unless it is renewed
	 */
	public Validity takeValidity() {
		Validity taken = this.validity;
		if (taken == null) {
			throw new IllegalStateException("The validity of " + this.ticket + " has been taken before");
		}
		this.validity = null;
		return taken;
	}

	/**
	 * Return who holds in the store.
	 * @return the ticket
	 */
	public Ticket ticket() {
		return this.ticket;
	}

	/**
	 * Return the last token of the grant, which names it in the store.
	 * @return the token
	 */
	public long lastToken() {
		return this.lastToken;
	}

	/**
	 * Return how the lock came here.
	 * @return the hand-off
	 */
	public HandOff handOff() {
		return this.handOff;
	}

	/**
	 * Return the fencing token of this stay: unique, and higher than those of all stays
	 * before it.
	 * @return the token
	 */
	public long fencingToken() {
		return this.fencingToken;
	}

}
