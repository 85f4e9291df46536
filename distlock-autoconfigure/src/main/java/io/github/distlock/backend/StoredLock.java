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
	 */
	public record StoredHolder(String instance, LockMode mode, @Nullable Instant since, @Nullable Duration ttl,
			long grantToken) {
	}

	/**
	 * A ticket that waits for a lock.
	 *
	 * @param instance the instance part of the ticket that waits
	 * @param mode the mode
	 */
	public record StoredWaiter(String instance, LockMode mode) {
	}

}
