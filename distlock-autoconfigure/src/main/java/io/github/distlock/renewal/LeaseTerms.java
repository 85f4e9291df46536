package io.github.distlock.renewal;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How long a lock may be held. The same for many: share it.
 *
 * @param lease how long the lock is held at a time
 * @param extra how much longer the store's lease is, each time: the lock may be passed on
 * inside the JVM, and the next one has a lease of his own
 * @param renewed whether the watchdog keeps it alive; otherwise it ends after
 * {@code lease}
 * @param maxHold when the watchdog stops, from the start; {@code null} means never
 */
public record LeaseTerms(Duration lease, Duration extra, boolean renewed, @Nullable Duration maxHold) {

	/**
	 * Return what is asked of the store, each time.
	 * @return the lease and the extra time
	 */
	public Duration storeLease() {
		return this.lease.plus(this.extra);
	}

}
