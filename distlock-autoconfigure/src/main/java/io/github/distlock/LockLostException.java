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
		this(message, null, null);
	}

	/**
	 * Create the exception with the cause of the loss.
	 * @param message names the lock, the value and the remedy
	 * @param lossCause why the lock was lost, if known
	 * @param cause the exception that caused it
	 */
	public LockLostException(String message, @Nullable LossCause lossCause, @Nullable Throwable cause) {
		super(message, cause);
		this.lossCause = lossCause;
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
