package io.github.distlock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.distlock.LockMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the store says about one lock.
 *
 * @param key the key of the lock
 * @param registry the name of the registry that was asked, or {@code null} if several
 * were asked and none knows the lock
 * @param holders the holders: none, one, or several readers
 * @param waiting the waiting tickets in the order of the store
 */
public record LockDescriptor(String key, @Nullable String registry, List<HolderDescriptor> holders,
		List<QueuedDescriptor> waiting) implements OperationResponseBody {

	boolean isKnown() {
		return !this.holders.isEmpty() || !this.waiting.isEmpty();
	}

	/**
	 * A ticket that holds the lock.
	 *
	 * @param id the id of the instance
	 * @param application the name of the application
	 * @param host the name of the host
	 * @param pid the process id
	 * @param mode the mode
	 * @param permits how many callers may hold the lock at once, {@code null} without a
	 * limit
	 * @param since when the store granted the lock
	 * @param ttl when the lease ends unless it is renewed
	 * @param grantToken the first fencing token of the grant, which names the grant
	 */
	public record HolderDescriptor(String id, @Nullable String application, @Nullable String host, @Nullable Long pid,
			LockMode mode, @Nullable Integer permits, @Nullable Instant since, @Nullable Duration ttl,
			long grantToken) {
	}

	/**
	 * A ticket that waits for the lock.
	 *
	 * @param id the id of the instance
	 * @param application the name of the application
	 * @param host the name of the host
	 * @param pid the process id
	 * @param mode the mode
	 * @param permits how many callers may hold the lock at once, {@code null} without a
	 * limit
	 */
	public record QueuedDescriptor(String id, @Nullable String application, @Nullable String host, @Nullable Long pid,
			LockMode mode, @Nullable Integer permits) {
	}

}
