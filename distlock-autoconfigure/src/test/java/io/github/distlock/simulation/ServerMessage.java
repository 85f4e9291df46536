package io.github.distlock.simulation;

import java.util.Locale;

import io.github.distlock.backend.Ticket;

/**
 * A message from the server to the JVM of a ticket.
 *
 * @param first the first fencing token, of a grant
 * @param last the last fencing token, of a new grant
 * @param ttlMillis the lease, of a new grant
 * @param serverMicros the server's time, of a new grant
 */
record ServerMessage(Kind kind, Ticket ticket, long first, long last, long ttlMillis, long serverMicros) {

	enum Kind {

		/** The ticket was granted the lock. */
		GRANTED,

		/** An operator has ended the grant. */
		ENDED

	}

	static ServerMessage granted(Ticket ticket, long first, long last, long ttlMillis, long serverMicros) {
		return new ServerMessage(Kind.GRANTED, ticket, first, last, ttlMillis, serverMicros);
	}

	static ServerMessage ended(Ticket ticket, long first) {
		return new ServerMessage(Kind.ENDED, ticket, first, 0, 0, 0);
	}

	@Override
	public String toString() {
		return this.kind.toString().toLowerCase(Locale.ROOT) + " " + this.ticket.key() + " " + this.ticket.token() + " "
				+ this.first + ((this.kind == Kind.GRANTED) ? " for " + this.ttlMillis + " ms" : "");
	}

}
