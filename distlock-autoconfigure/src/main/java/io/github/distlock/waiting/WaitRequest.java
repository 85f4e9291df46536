package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockMode;

/**
 * Who wants to enter.
 *
 * @param key what is locked
 * @param mode how it is shared
 * @param fair whether the order of arrival holds over all JVMs
 * @param lease the lease to ask the store for
 * @param waitTime how long to wait: zero tries once, negative waits for ever
 * @param onWaiting called once, on the caller's thread, when the lock cannot be had at
 * once and waiting begins
 */
public record WaitRequest(String key, LockMode mode, boolean fair, Duration lease, Duration waitTime,
		Runnable onWaiting) {

	/** A writer that goes on as a reader: one answer of the store must do. */
	static WaitRequest ofReader(String key, Duration lease) {
		return new WaitRequest(key, LockMode.READ, false, lease, Duration.ZERO, () -> {
		});
	}

	/**
	 * Return whether the caller has a ticket of his own, with which nothing is passed on
	 * inside the JVM: whoever keeps the order over all JVMs, and whoever reads, since
	 * readers hold at the same time and each has a lease.
	 * @return whether no other caller shares it
	 */
	public boolean hasOwnTicket() {
		return hasOwnTicket(this.mode, this.fair);
	}

	/**
	 * Return whether such callers have tickets of their own.
	 * @param mode how the lock is shared
	 * @param fair whether the order of arrival holds over all JVMs
	 * @return whether no other caller shares the ticket
	 */
	public static boolean hasOwnTicket(LockMode mode, boolean fair) {
		return fair || mode == LockMode.READ;
	}

}
