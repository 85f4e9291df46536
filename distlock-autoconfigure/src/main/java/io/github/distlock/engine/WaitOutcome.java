package io.github.distlock.engine;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockOutcome;
import io.github.distlock.backend.StoredLock.StoredHolder;
import org.jspecify.annotations.Nullable;

/**
 * How a wait ended. A {@link Hold} is the outcome of a caller that got the lock.
 */
public interface WaitOutcome {

	/**
	 * The store has failed, or the registry is shutting down.
	 *
	 * @param cause the failure
	 */
	record Failure(LockBackendException cause) implements WaitOutcome {

		/**
		 * Return the exception for one caller. Several may fail for one reason: each gets
		 * its own exception, with the cause of the common one, whose text would only
		 * repeat its own.
		 * @return a new exception
		 */
		public LockBackendException forCaller() {
			return new LockBackendException(String.valueOf(this.cause.getMessage()), this.cause.getCause());
		}

	}

	/**
	 * The wait time has passed, or too many callers wait.
	 *
	 * @param reason {@link LockOutcome#TIMEOUT} or {@link LockOutcome#TOO_MANY_WAITING}
	 * @param holder what held the lock last, as far as this JVM knows without asking the
	 * store
	 */
	record Refused(LockOutcome reason, @Nullable StoredHolder holder) implements WaitOutcome {
	}

	/** The caller ended the wait. */
	record GaveUp() implements WaitOutcome {
	}

}
