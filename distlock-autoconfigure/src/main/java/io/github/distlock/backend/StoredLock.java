package io.github.distlock.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.distlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * What a store says about one lock.
 *
 * @param key the key of the lock
 * @param holders the holders: none, one, or several readers
 * @param waiting the waiting tickets in the store's order, the first is granted the lock
 * next; empty if the store does not know them
 */
public record StoredLock(String key, List<StoredHolder> holders, List<StoredWaiter> waiting) {

	/**
	 * A ticket that holds a lock.
	 *
	 * @param instance the instance part of the ticket that holds the lock
	 * @param mode the mode, {@code EXCLUSIVE} also for a writer if the store does not
	 * distinguish them
	 * @param since when the store granted the lock, or {@code null} if it does not know
	 * @param ttl the time until the lease ends unless it is renewed, or {@code null} if
	 * the lock lasts as long as a session, or if the store did not say
	 * @param grantToken the first fencing token of the grant, which names the grant; 0 in
	 * the answer to an attempt if the store would need another command to find it
	 * @param permits the permits of the ticket, 0 without a limit
	 */
	public record StoredHolder(String instance, LockMode mode, @Nullable Instant since, @Nullable Duration ttl,
			long grantToken, int permits) {

		/**
		 * Describe a holder without permits.
		 * @param instance the instance part of the ticket that holds the lock
		 * @param mode the mode
		 * @param since when the store granted the lock, or {@code null}
		 * @param ttl the time until the lease ends unless it is renewed, or {@code null}
		 * @param grantToken the first fencing token of the grant
		 */
		public StoredHolder(String instance, LockMode mode, @Nullable Instant since, @Nullable Duration ttl,
				long grantToken) {
			this(instance, mode, since, ttl, grantToken, 0);
		}

	}

	/**
	 * A ticket that waits for a lock.
	 *
	 * @param instance the instance part of the ticket that waits
	 * @param mode the mode
	 * @param permits the permits of the ticket, 0 without a limit
	 */
	public record StoredWaiter(String instance, LockMode mode, int permits) {

		/**
		 * Describe a waiting ticket without permits.
		 * @param instance the instance part of the ticket that waits
		 * @param mode the mode
		 */
		public StoredWaiter(String instance, LockMode mode) {
			this(instance, mode, 0);
		}

	}

}
