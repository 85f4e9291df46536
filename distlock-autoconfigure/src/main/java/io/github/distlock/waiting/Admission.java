package io.github.distlock.waiting;

import io.github.distlock.HandOff;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;

/**
 * The right to be inside, until it is given back to the waiting room. Compared by
 * identity: each admission is one stay. Several may follow each other under one grant.
 */
public final class Admission {

	private final Ticket ticket;

	private final Grant grant;

	private final HandOff handOff;

	private final long fencingToken;

	private final long turnStartNanos;

	private Admission(Ticket ticket, Grant grant, HandOff handOff, long fencingToken, long turnStartNanos) {
		this.ticket = ticket;
		this.grant = grant;
		this.handOff = handOff;
		this.fencingToken = fencingToken;
		this.turnStartNanos = turnStartNanos;
	}

	/** The first stay under a grant of the store. */
	static Admission first(Ticket ticket, Grant grant, HandOff handOff, long nowNanos) {
		return new Admission(ticket, grant, handOff, grant.firstToken(), nowNanos);
	}

	/** The stay of the one to whom this one passes the lock. */
	Admission next() {
		return new Admission(this.ticket, this.grant, HandOff.LOCAL, this.fencingToken + 1, this.turnStartNanos);
	}

	/** When the store's grant came, with which this JVM's turn began. */
	long turnStartNanos() {
		return this.turnStartNanos;
	}

	/**
	 * Return who holds in the store.
	 * @return the ticket
	 */
	public Ticket ticket() {
		return this.ticket;
	}

	/**
	 * Return what the store gave.
	 * @return the grant
	 */
	public Grant grant() {
		return this.grant;
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
