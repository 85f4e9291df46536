package io.github.distlock.backend;

import java.util.Collection;

/**
 * Receives what happens to tickets in the store without a command of this JVM. Calls
 * return quickly and never block, so a store may make them on its I/O threads. A signal
 * that is repeated, late or for an unknown ticket is harmless.
 */
public interface LockSignals {

	/**
	 * A waiting ticket was granted the lock.
	 * @param ticket the ticket
	 * @param grant its grant; the validity may have passed already
	 */
	void granted(Ticket ticket, Grant grant);

	/**
	 * A waiting ticket should attempt again.
	 * @param ticket the ticket
	 */
	void retry(Ticket ticket);

	/**
	 * All waiting tickets should attempt again, soon: signals may have been lost.
	 */
	void retryAll();

	/**
	 * Leases should be renewed now: their session is in doubt. One call for all of them,
	 * since thousands may depend on one session.
	 * @param tickets the holders
	 */
	void renewNow(Collection<Ticket> tickets);

	/**
	 * All leases should be renewed once, soon: the store may have lost grants, as after a
	 * restart or a failover. Has no effect on grants that end with a session.
	 */
	void renewAll();

	/**
	 * An operator has ended a grant in the store. The store sends this before it answers
	 * that the ticket does not hold the lock any more, if it knows both. The receiver
	 * asks the store for the lock, and ignores the signal if the grant still exists:
	 * another client of the store may have forged it.
	 * @param ticket the ticket that held the lock
	 * @param grantToken the first fencing token of the grant that was ended
	 */
	default void ended(Ticket ticket, long grantToken) {
	}

	/**
	 * The channel on which this JVM receives its grants received no message and is
	 * subscribed again. For statistics only.
	 * @param inbox the name of the channel
	 * @param server the server, as messages name it
	 */
	default void resubscribed(String inbox, String server) {
	}

}
