package io.github.distlock.simulation;

import java.util.Locale;

import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * A message from the server to the JVM of a ticket.
 *
 * @param kind what it says
 * @param ticket the ticket
 * @param first the first fencing token, of a grant
 * @param last the last fencing token, of a new grant
 * @param ttlMillis the lease, of a new grant
 * @param serverMicros the server's time, of a new grant
 * @param requester the ticket that wants an answer
 */
record ServerMessage(Kind kind, Ticket ticket, long first, long last, long ttlMillis, long serverMicros,
		@Nullable Ticket requester) {

	/** What a message says. */
	enum Kind {

		/** The ticket was granted the lock. */
		GRANTED,

		/** Another ticket waits for the lock that the ticket holds. */
		ASKED,

		/** The JVM that was asked because of the ticket does not give the lock back. */
		REFUSED,

		/** An operator has ended the grant. */
		ENDED

	}

	static ServerMessage granted(Ticket ticket, long first, long last, long ttlMillis, long serverMicros) {
		return new ServerMessage(Kind.GRANTED, ticket, first, last, ttlMillis, serverMicros, null);
	}

	static ServerMessage of(Kind kind, Ticket ticket, long first, @Nullable Ticket requester) {
		return new ServerMessage(kind, ticket, first, 0, 0, 0, requester);
	}

	@Override
	public String toString() {
		return this.kind.toString().toLowerCase(Locale.ROOT) + " " + this.ticket.key() + " " + this.ticket.token() + " "
				+ this.first + ((this.kind == Kind.GRANTED) ? " for " + this.ttlMillis + " ms" : "")
				+ ((this.requester != null) ? " asked by " + this.requester.token() : "");
	}

}
