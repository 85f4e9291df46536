package io.github.distlock.test;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;

/**
 * A lock that the application was granted.
 *
 * @param ticket the ticket that holds the lock
 * @param grant the grant of the store
 */
record HeldGrant(Ticket ticket, Grant grant) {

	boolean covers(long token) {
		return token >= this.grant.firstToken() && token <= this.grant.lastToken();
	}

}
