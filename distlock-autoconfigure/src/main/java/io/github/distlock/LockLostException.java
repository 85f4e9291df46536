package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock was lost while it was held: its lease has expired, or the store no longer
 * knows the lock. Another holder may have acquired it since.
 * <p>
 * A part of the work may have run without protection. Undo the work, or check its result.
 * {@link #lossCause()} says why the lock was lost, and the message names the remedy.
 */
public class LockLostException extends LockException {

	/** Why the lock was lost, if it is known. */
	private final @Nullable LossCause lossCause;

	/**
	 * Create the exception.
	 * @param message names the lock, the value and the remedy
	 */
	public LockLostException(String message) {
		this(message, null);
	}

	/**
	 * Create the exception for one lock. The message names it, the cause of the loss, the
	 * consequence and the remedy.
	 * @param key the key of the lock
	 * @param fencingToken the fencing token under which it was held
	 * @param when when it was lost, such as {@code while it was held}
	 * @param lossCause why it was lost, if known
	 * @param consequence what that means for the caller, as a sentence without a full
	 * stop
	 * @param cause the exception that led to the check, if any
	 */
	public LockLostException(String key, long fencingToken, String when, @Nullable LossCause lossCause,
			String consequence, @Nullable Throwable cause) {
		super("Lock '" + key + "' (token " + fencingToken + ") was lost " + when
				+ ((lossCause != null) ? ": " + lossCause.description() : "") + ". " + consequence
				+ ((lossCause != null) ? ". " + lossCause.remedy() : ""), cause);
		this.lossCause = lossCause;
	}

	/**
	 * Create the exception for a lock that is not lost yet.
	 * @param message names the lock, the value and the remedy
	 * @param cause the exception that led to the check, if any
	 */
	public LockLostException(String message, @Nullable Throwable cause) {
		super(message, cause);
		this.lossCause = null;
	}

	/**
	 * Return why the lock was lost.
	 * @return the cause; {@code null} if it is not known: the lock belongs to another
	 * implementation, or the commit guard refuses a commit because too little of the
	 * lease is left, and the lock is not lost yet
	 */
	public @Nullable LossCause lossCause() {
		return this.lossCause;
	}

}
