package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock was lost while it was held: its lease has passed, or the store no longer knows
 * it. Another holder may have had it in the meantime.
 */
public class LockLostException extends LockException {

	private final @Nullable LossCause lossCause;

	/**
	 * Say what happened.
	 * @param message names the lock, the value and the remedy
	 */
	public LockLostException(String message) {
		this(message, null, null);
	}

	/**
	 * Say what happened, and why.
	 * @param message names the lock, the value and the remedy
	 * @param cause what led to it
	 */
	public LockLostException(String message, @Nullable Throwable cause) {
		this(message, null, cause);
	}

	/**
	 * Say what happened, and why.
	 * @param message names the lock, the value and the remedy
	 * @param lossCause why the lock was lost, if that is known
	 * @param cause the exception that led to it
	 */
	public LockLostException(String message, @Nullable LossCause lossCause, @Nullable Throwable cause) {
		super(message, cause);
		this.lossCause = lossCause;
	}

	/**
	 * Return why the lock was lost.
	 * @return the cause, {@code null} if it is not known: the lock is that of another
	 * implementation, or it is not lost yet and the commit guard refuses the commit
	 * because too little of its lease is left
	 */
	public @Nullable LossCause lossCause() {
		return this.lossCause;
	}

}
