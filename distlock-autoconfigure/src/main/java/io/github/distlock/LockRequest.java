package io.github.distlock;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What a caller wants: a key, and how to wait for it and hold it. Immutable; each
 * "setter" returns a changed copy.
 *
 * @param key what is locked; equal strings are one lock, different strings never are
 * @param mode how the lock is shared
 * @param waitTime how long to wait: zero tries once, negative waits for ever,
 * {@code null} means the registry's default
 * @param leaseTime how long the lock may be held, 100 ms to 365 days; {@code null} means
 * that the watchdog renews it until it is released
 * @param fair whether the order of arrival holds over all JVMs
 * @param name label in metrics, events and messages, of few possible values; {@code null}
 * means {@value #UNNAMED}
 * @param minHold how long the lock stays taken at least, from its acquisition, even if it
 * is closed sooner; {@code null} means that it is free when it is closed
 */
public record LockRequest(String key, LockMode mode, @Nullable Duration waitTime, @Nullable Duration leaseTime,
		boolean fair, @Nullable String name, @Nullable Duration minHold) {

	/** The label of a request that names none. */
	public static final String UNNAMED = "unnamed";

	/** A wait time without end. */
	public static final Duration FOREVER = Duration.ofSeconds(-1);

	/** The shortest lease that can be asked for. */
	public static final Duration MINIMUM_LEASE = Duration.ofMillis(100);

	/** The longest lease that can be asked for. */
	public static final Duration MAXIMUM_LEASE = Duration.ofDays(365);

	/**
	 * Check what can be checked without a store.
	 * @throws LockDefinitionException if the lease is too short or too long, or the
	 * minimum hold time is not positive, longer than the lease or too long
	 */
	public LockRequest {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(mode, "mode must not be null");
		if (leaseTime != null && leaseTime.compareTo(MINIMUM_LEASE) < 0) {
			throw new LockDefinitionException("The lease time of lock '" + key + "' is " + leaseTime
					+ ": use at least 100ms, or none at all to have the watchdog renew the lease");
		}
		if (leaseTime != null && leaseTime.compareTo(MAXIMUM_LEASE) > 0) {
			throw new LockDefinitionException("The lease time of lock '" + key + "' is " + leaseTime
					+ ": use at most 365 days, or none at all to have the watchdog renew the lease");
		}
		if (minHold != null) {
			checkMinHold(key, minHold, (leaseTime != null) ? leaseTime : MAXIMUM_LEASE);
		}
	}

	private static void checkMinHold(String key, Duration minHold, Duration longest) {
		if (minHold.isNegative() || minHold.isZero() || minHold.compareTo(longest) > 0) {
			throw new LockDefinitionException("The minimum hold time of lock '" + key + "' is " + minHold
					+ ": use more than nothing, and at most the lease time or, without one, 365 days");
		}
	}

	/**
	 * Ask for the exclusive lock of a key with the registry's defaults.
	 * @param key what is locked
	 * @return the request
	 */
	public static LockRequest of(String key) {
		return new LockRequest(key, LockMode.EXCLUSIVE, null, null, false, null, null);
	}

	/**
	 * Ask for another key in the same way.
	 * @param key what is locked
	 * @return a changed copy
	 */
	public LockRequest key(String key) {
		return new LockRequest(key, this.mode, this.waitTime, this.leaseTime, this.fair, this.name, this.minHold);
	}

	/**
	 * Wait this long.
	 * @param waitTime zero tries once, negative waits for ever
	 * @return a changed copy
	 */
	public LockRequest waitTime(Duration waitTime) {
		return new LockRequest(this.key, this.mode, waitTime, this.leaseTime, this.fair, this.name, this.minHold);
	}

	/**
	 * Hold the lock for this long at most, without renewal.
	 * @param leaseTime 100 ms to 365 days
	 * @return a changed copy
	 * @throws LockDefinitionException if the lease is too short or too long
	 */
	public LockRequest leaseTime(Duration leaseTime) {
		return new LockRequest(this.key, this.mode, this.waitTime, leaseTime, this.fair, this.name, this.minHold);
	}

	/**
	 * Keep the order of arrival over all JVMs.
	 * @param fair whether to keep it
	 * @return a changed copy
	 */
	public LockRequest fair(boolean fair) {
		return new LockRequest(this.key, this.mode, this.waitTime, this.leaseTime, fair, this.name, this.minHold);
	}

	/**
	 * Share the lock this way.
	 * @param mode exclusive, read or write
	 * @return a changed copy
	 */
	public LockRequest mode(LockMode mode) {
		return new LockRequest(this.key, mode, this.waitTime, this.leaseTime, this.fair, this.name, this.minHold);
	}

	/**
	 * Show this label in metrics, events and messages.
	 * @param name a label of few possible values
	 * @return a changed copy
	 */
	public LockRequest name(String name) {
		return new LockRequest(this.key, this.mode, this.waitTime, this.leaseTime, this.fair, name, this.minHold);
	}

	/**
	 * Keep the lock taken for this long at least, from its acquisition, even if it is
	 * closed sooner. The closing thread is not delayed and no longer holds the lock, so
	 * that it cannot enter again either. Meant for jobs that the clocks of several
	 * machines start. If this JVM ends meanwhile, the lock is left to its lease in the
	 * store; a store without leases (ZooKeeper, a database connection) releases it then.
	 * @param minHold at most the lease time, if there is one
	 * @return a changed copy
	 * @throws LockDefinitionException if it is not positive, or too long
	 */
	public LockRequest minHold(Duration minHold) {
		return new LockRequest(this.key, this.mode, this.waitTime, this.leaseTime, this.fair, this.name, minHold);
	}

	/**
	 * Return the label, never {@code null}.
	 * @return {@link #name()} or {@value #UNNAMED}
	 */
	public String label() {
		return (this.name != null) ? this.name : UNNAMED;
	}

}
