package io.github.distlock.backend;

import java.util.Collection;

/**
 * Where a store tells what happens to tickets without being asked. Calls return quickly
 * and never block, so a store may make them on its I/O threads; the same signal twice,
 * late or for an unknown ticket is harmless.
 */
public interface LockSignals {

	/**
	 * A waiting ticket was granted the lock.
	 * @param ticket who
	 * @param grant what; its validity may have passed already
	 */
	void granted(Ticket ticket, Grant grant);

	/**
	 * Another attempt of a waiting ticket is worth its while.
	 * @param ticket who
	 */
	void lookAgain(Ticket ticket);

	/**
	 * All waiting tickets should attempt again, soon: signals may have been lost.
	 */
	void lookAgainAll();

	/**
	 * A held ticket should be renewed now: its session is in doubt.
	 * @param ticket who
	 */
	void renewNow(Ticket ticket);

	/**
	 * Held tickets should be renewed now: their session is in doubt. One call for all of
	 * them, since a session may carry thousands.
	 * @param tickets who
	 */
	default void renewNow(Collection<Ticket> tickets) {
		tickets.forEach(this::renewNow);
	}

	/**
	 * The channel on which this JVM receives its grants received nothing and is
	 * subscribed again. For statistics: nothing has to be done.
	 * @param inbox the name of the channel
	 * @param server the server, as messages name it
	 */
	default void resubscribed(String inbox, String server) {
	}

}
