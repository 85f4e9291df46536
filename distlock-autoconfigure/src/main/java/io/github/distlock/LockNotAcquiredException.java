package io.github.distlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The lock was not acquired: it was held elsewhere until the wait time had passed, too
 * many callers of this JVM waited for it already, or the waiting thread was interrupted
 * (then the cause is an {@link InterruptedException}).
 * <p>
 * Nothing was done under the lock. Try again later. A web application answers with HTTP
 * status 409, or 429 if too many callers waited or the request had permits, if no handler
 * takes the exception.
 */
public class LockNotAcquiredException extends LockException {

	/** Why the lock was not acquired. */
	private final LockOutcome reason;

	private final transient @Nullable LockHolder holder;

	/** When another attempt makes sense, if the request had permits. */
	private final @Nullable Duration retryAfter;

	/**
	 * Create the exception.
	 * @param message names the lock, the value and the remedy
	 */
	public LockNotAcquiredException(String message) {
		this(message, null);
	}

	/**
	 * Create the exception with its cause.
	 * @param message names the lock, the value and the remedy
	 * @param cause the exception that caused it
	 */
	public LockNotAcquiredException(String message, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = (cause instanceof InterruptedException) ? LockOutcome.INTERRUPTED : LockOutcome.TIMEOUT;
		this.holder = null;
		this.retryAfter = null;
	}

	/**
	 * Create the exception with the holder of the lock.
	 * @param message names the lock, the value and the remedy
	 * @param reason why the lock was not acquired
	 * @param holder what held the lock when the wait ended, if known
	 */
	public LockNotAcquiredException(String message, LockOutcome reason, @Nullable LockHolder holder) {
		this(message, reason, holder, null);
	}

	/**
	 * Create the exception for a request with permits.
	 * @param message names the lock, the value and the remedy
	 * @param reason why the lock was not acquired
	 * @param holder one that held the lock when the wait ended, if known
	 * @param retryAfter when another attempt makes sense; {@code null} without permits
	 */
	public LockNotAcquiredException(String message, LockOutcome reason, @Nullable LockHolder holder,
			@Nullable Duration retryAfter) {
		super(message, null);
		this.reason = reason;
		this.holder = holder;
		this.retryAfter = retryAfter;
	}

	/**
	 * Return why the lock was not acquired.
	 * @return {@link LockOutcome#TIMEOUT}, {@link LockOutcome#INTERRUPTED} or
	 * {@link LockOutcome#TOO_MANY_WAITING}
	 */
	public LockOutcome reason() {
		return this.reason;
	}

	/**
	 * Return what held the lock when the wait ended. Of several readers it is one.
	 * @return the holder; {@code null} if the store does not tell, the wait was
	 * interrupted, or the exception was serialized
	 */
	public @Nullable LockHolder holder() {
		return this.holder;
	}

	/**
	 * Return when another attempt makes sense, if the request had permits: when the
	 * shortest lease of the holders ends, as far as the store has said it. A web
	 * application answers with HTTP status 429 and this time.
	 * @return the time, {@code null} if the request had no permits, or if the wait was
	 * interrupted
	 */
	public @Nullable Duration retryAfter() {
		return this.retryAfter;
	}

}
