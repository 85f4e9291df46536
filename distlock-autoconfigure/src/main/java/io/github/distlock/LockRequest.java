package io.github.distlock;

import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Describes a lock to acquire: its key, how long to wait for it and how to hold it.
 * Immutable: the methods that change a value return a changed copy.
 *
 * @param key what to lock; equal strings are the same lock, different strings are
 * different locks. It is taken as it is: no expression is evaluated in it
 * @param mode how the lock is shared
 * @param waitTime how long to wait: zero tries once, {@link #FOREVER} waits without a
 * limit, {@code null} means the default of the registry
 * @param leaseTime how long the lock may be held, 100 ms to 365 days; {@code null} means
 * that the watchdog renews the lease until the lock is released
 * @param fair whether callers get the lock in the order of their arrival across all JVMs
 * @param name label in metrics, events and messages, with few possible values;
 * {@code null} means {@value #UNNAMED}
 * @param minHold how long the lock stays taken at least, counted from its acquisition,
 * even if it is closed earlier; {@code null} means that it is free as soon as it is
 * closed
 * @param maxWaiting how many callers of this JVM may wait for the key, 1 or more;
 * {@code null} means the default of the registry
 * @param permits how many callers of all JVMs may hold the lock at once, 1 to
 * {@value #MAXIMUM_PERMITS}; {@code null} without a limit. With permits the mode is
 * {@code READ}
 * @param prefixed whether the key begins with its prefix, so that the
 * {@link LockKeyPrefix} of the application is not asked
 */
public record LockRequest(String key, LockMode mode, @Nullable Duration waitTime, @Nullable Duration leaseTime,
		boolean fair, @Nullable String name, @Nullable Duration minHold, @Nullable Integer maxWaiting,
		@Nullable Integer permits, boolean prefixed) {

	/** Label of a request without a name. */
	public static final String UNNAMED = "unnamed";

	/** Wait time without a limit. */
	public static final Duration FOREVER = Duration.ofSeconds(-1);

	/** Shortest lease time that can be requested. */
	public static final Duration MINIMUM_LEASE = Duration.ofMillis(100);

	/** Length of the longest key, in bytes of UTF-8. */
	public static final int MAXIMUM_KEY_BYTES = 512;

	/** Longest lease time that can be requested. */
	public static final Duration MAXIMUM_LEASE = Duration.ofDays(365);

	/** Highest number of permits. */
	public static final int MAXIMUM_PERMITS = 10_000;

	private static final Pattern CONTROL_CHARACTER = Pattern.compile("[\\p{Cc}\\u2028\\u2029]");

	/**
	 * Create a request and check what can be checked without a store. This constructor is
	 * no supported API, since each new attribute changes it: use {@link #of} and the
	 * methods that change a value.
	 * @param key what to lock
	 * @param mode how the lock is shared
	 * @param waitTime how long to wait, or {@code null}
	 * @param leaseTime how long the lock may be held, or {@code null}
	 * @param fair whether the order of arrival counts across all JVMs
	 * @param name label in metrics, events and messages, or {@code null}
	 * @param minHold how long the lock stays taken at least, or {@code null}
	 * @param maxWaiting how many callers of this JVM may wait, or {@code null}
	 * @param permits how many callers may hold the lock at once, or {@code null}
	 * @param prefixed whether the key begins with its prefix
	 * @throws LockDefinitionException if a component is out of range, or if components do
	 * not fit
	 */
	public LockRequest {
		Assert.notNull(key, "The key of a lock is null: pass a text that names what to lock");
		Assert.notNull(mode, "The mode of a lock is null: pass EXCLUSIVE, READ or WRITE");
		if (waitTime != null && waitTime.isNegative() && !waitTime.equals(FOREVER)) {
			throw new LockDefinitionException("The wait time of lock '" + printable(key) + "' is " + waitTime
					+ ": use a positive duration, Duration.ZERO to try once, or LockRequest.FOREVER to wait without a limit");
		}
		if (leaseTime != null && (leaseTime.compareTo(MINIMUM_LEASE) < 0 || leaseTime.compareTo(MAXIMUM_LEASE) > 0)) {
			throw new LockDefinitionException("The lease time of lock '" + printable(key) + "' is " + leaseTime
					+ ": use 100ms to 365 days, or no lease time to have the watchdog renew the lease");
		}
		Duration longestHold = (leaseTime != null) ? leaseTime : MAXIMUM_LEASE;
		if (minHold != null && (minHold.isNegative() || minHold.isZero() || minHold.compareTo(longestHold) > 0)) {
			throw new LockDefinitionException("The minimum hold time of lock '" + printable(key) + "' is " + minHold
					+ ": use a positive duration of at most the lease time or, without a lease time, of at most 365 days");
		}
		if (maxWaiting != null && maxWaiting < 1) {
			throw new LockDefinitionException("The number of callers that may wait for lock '" + printable(key)
					+ "' is " + maxWaiting + ": use 1 or more, or no wait time to let no caller wait");
		}
		if (permits != null && (permits < 1 || permits > MAXIMUM_PERMITS)) {
			throw new LockDefinitionException("The number of permits of lock '" + printable(key) + "' is " + permits
					+ ": use 1 to " + MAXIMUM_PERMITS + ", or no permits");
		}
		if (permits != null && mode != LockMode.READ) {
			throw new LockDefinitionException("Lock '" + printable(key) + "' was requested with " + permits
					+ " permits in mode " + mode + ", which allows one holder: leave out the permits or the mode");
		}
	}

	/**
	 * Replace characters that may end a line of a log. Keys are refused later, by the
	 * store, so that the attempt is reported.
	 */
	private static String printable(String text) {
		return CONTROL_CHARACTER.matcher(text).replaceAll("?");
	}

	/**
	 * Create a request for the exclusive lock of a key, with the defaults of the
	 * registry.
	 * @param key what to lock, as it is: {@code "'stock-' + #sku"} is no expression here
	 * @return the request
	 */
	public static LockRequest of(String key) {
		return new LockRequest(key, LockMode.EXCLUSIVE, null, null, false, null, null, null, null, false);
	}

	/**
	 * Set the key, which has no prefix yet.
	 * @param key what to lock
	 * @return a changed copy
	 */
	public LockRequest key(String key) {
		return new LockRequest(key, this.mode, this.waitTime, this.leaseTime, this.fair, this.name, this.minHold,
				this.maxWaiting, this.permits, false);
	}

	/**
	 * Set the wait time.
	 * @param waitTime zero tries once, {@link #FOREVER} waits without a limit
	 * @return a changed copy
	 * @throws LockDefinitionException if another wait time is negative
	 */
	public LockRequest waitTime(Duration waitTime) {
		return new LockRequest(this.key, this.mode, waitTime, this.leaseTime, this.fair, this.name, this.minHold,
				this.maxWaiting, this.permits, this.prefixed);
	}

	/**
	 * Set the lease time: the lock is held for this time at most and is not renewed.
	 * @param leaseTime 100 ms to 365 days
	 * @return a changed copy
	 * @throws LockDefinitionException if the lease time is too short or too long
	 */
	public LockRequest leaseTime(Duration leaseTime) {
		return new LockRequest(this.key, this.mode, this.waitTime, leaseTime, this.fair, this.name, this.minHold,
				this.maxWaiting, this.permits, this.prefixed);
	}

	/**
	 * Set whether callers get the lock in the order of their arrival across all JVMs.
	 * @param fair whether the lock is fair
	 * @return a changed copy
	 */
	public LockRequest fair(boolean fair) {
		return new LockRequest(this.key, this.mode, this.waitTime, this.leaseTime, fair, this.name, this.minHold,
				this.maxWaiting, this.permits, this.prefixed);
	}

	/**
	 * Set how the lock is shared.
	 * @param mode exclusive, read or write
	 * @return a changed copy
	 * @throws LockDefinitionException if the request has permits and the mode is not
	 * {@code READ}
	 */
	public LockRequest mode(LockMode mode) {
		return new LockRequest(this.key, mode, this.waitTime, this.leaseTime, this.fair, this.name, this.minHold,
				this.maxWaiting, this.permits, this.prefixed);
	}

	/**
	 * Set the label in metrics, events and messages.
	 * @param name a label with few possible values
	 * @return a changed copy
	 * @throws LockDefinitionException if the name contains a control character
	 */
	public LockRequest name(String name) {
		Assert.notNull(name, "The name of a lock is null: pass a label with few possible values");
		if (CONTROL_CHARACTER.matcher(name).find()) {
			throw new LockDefinitionException("The name '" + printable(name) + "' contains a control character (shown "
					+ "as ?): remove line breaks, tabs and other control characters from it");
		}
		return new LockRequest(this.key, this.mode, this.waitTime, this.leaseTime, this.fair, name, this.minHold,
				this.maxWaiting, this.permits, this.prefixed);
	}

	/**
	 * Set the minimum hold time: the lock stays taken for this time at least, counted
	 * from its acquisition, even if it is closed earlier.
	 * <p>
	 * This is for jobs that the clocks of several machines start. The closing thread is
	 * not delayed. It no longer holds the lock, so it cannot enter the lock again either.
	 * If this JVM ends before the time has passed, the lock stays in the store until its
	 * lease expires; a store without leases (ZooKeeper, a database connection) releases
	 * it then.
	 * @param minHold at most the lease time, if there is one
	 * @return a changed copy
	 * @throws LockDefinitionException if the time is not positive or too long
	 */
	public LockRequest minHold(Duration minHold) {
		return new LockRequest(this.key, this.mode, this.waitTime, this.leaseTime, this.fair, this.name, minHold,
				this.maxWaiting, this.permits, this.prefixed);
	}

	/**
	 * Set how many callers of this JVM may wait for the key. If that many wait already,
	 * this caller is refused at once, as if its wait time had passed: with a
	 * {@link LockNotAcquiredException} whose reason is
	 * {@link LockOutcome#TOO_MANY_WAITING}, or without a lock.
	 * <p>
	 * The limit protects the threads of this JVM. A caller waits from the moment when it
	 * queues behind a holder or another caller of this JVM; while its own first attempt
	 * is on its way, it does not. Readers, fair callers, asynchronous callers and those
	 * without a limit are counted; re-entries, callers that try once and callers of other
	 * JVMs are not.
	 * @param maxWaiting 1 or more
	 * @return a changed copy
	 * @throws LockDefinitionException if the number is not positive
	 */
	public LockRequest maxWaiting(int maxWaiting) {
		return new LockRequest(this.key, this.mode, this.waitTime, this.leaseTime, this.fair, this.name, this.minHold,
				maxWaiting, this.permits, this.prefixed);
	}

	/**
	 * Let at most so many callers of all JVMs hold the lock at once. The mode becomes
	 * {@link LockMode#READ}: the caller holds the lock together with others, those
	 * without permits included, while fewer than this number hold it and no earlier
	 * caller waits for it. Each caller is judged by its own number. {@code WRITE} and
	 * {@code EXCLUSIVE} requests of the key wait until no other caller holds it.
	 * <p>
	 * Callers enter in the order of their arrival, so {@link #fair} changes nothing. Each
	 * has a lease and a fencing token of its own. The tokens rise with each entry, also
	 * while earlier callers are inside: a resource that refuses lower tokens would refuse
	 * these.
	 * @param permits 1 to {@value #MAXIMUM_PERMITS}
	 * @return a changed copy
	 * @throws LockDefinitionException if the number is out of range, or if the mode is
	 * {@code WRITE}
	 */
	public LockRequest permits(int permits) {
		LockMode shared = (this.mode == LockMode.EXCLUSIVE) ? LockMode.READ : this.mode;
		return new LockRequest(this.key, shared, this.waitTime, this.leaseTime, this.fair, this.name, this.minHold,
				this.maxWaiting, permits, this.prefixed);
	}

	/**
	 * Put the prefix that the application computes before the key, unless it is there.
	 * @param source computes the prefix; {@code null} changes nothing
	 * @return a changed copy, or this request
	 * @throws LockDefinitionException if the prefix is {@code null} or contains the
	 * separator
	 */
	public LockRequest prefixed(@Nullable LockKeyPrefix source) {
		if (source == null || this.prefixed) {
			return this;
		}
		String prefix = source.compute(this.key);
		if (prefix == null || prefix.indexOf(LockKeyPrefix.SEPARATOR) >= 0) {
			throw new LockDefinitionException("The prefix of lock '" + printable(this.key) + "' is "
					+ ((prefix != null) ? "'" + printable(prefix) + "', which contains '" + LockKeyPrefix.SEPARATOR
							+ "', the separator between prefix and key" : "null")
					+ ": have the LockKeyPrefix bean return a text without '" + LockKeyPrefix.SEPARATOR
					+ "', or the empty text");
		}
		return new LockRequest(prefix + LockKeyPrefix.SEPARATOR + this.key, this.mode, this.waitTime, this.leaseTime,
				this.fair, this.name, this.minHold, this.maxWaiting, this.permits, true);
	}

	/**
	 * Return the key as the caller gave it.
	 * @return the key without its prefix
	 */
	public String keyWithoutPrefix() {
		return this.prefixed ? this.key.substring(this.key.indexOf(LockKeyPrefix.SEPARATOR) + 1) : this.key;
	}

	/**
	 * Return the label, which is never {@code null}.
	 * @return {@link #name()} or {@value #UNNAMED}
	 */
	public String label() {
		return (this.name != null) ? this.name : UNNAMED;
	}

}
