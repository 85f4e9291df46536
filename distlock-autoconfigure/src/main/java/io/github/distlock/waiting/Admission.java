package io.github.distlock.waiting;

import io.github.distlock.HandOff;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;

/**
 * The right to be inside, until it is given back to the waiting room. Compared by
 * identity: each admission is one stay.
 */
public final class Admission {

	private final Ticket ticket;

	private final Grant grant;

	private final HandOff handOff;

	Admission(Ticket ticket, Grant grant, HandOff handOff) {
		this.ticket = ticket;
		this.grant = grant;
		this.handOff = handOff;
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
	 * Return the fencing token of this stay.
	 * @return the token
	 */
	public long fencingToken() {
		return this.grant.firstToken();
	}

}
