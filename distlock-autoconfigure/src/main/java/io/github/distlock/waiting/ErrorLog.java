package io.github.distlock.waiting;

import java.util.concurrent.CompletionException;

import io.github.distlock.LockBackendException;
import org.apache.commons.logging.Log;

/**
 * What to do with whatever was thrown while a command was sent or settled.
 */
final class ErrorLog {

	private ErrorLog() {
	}

	/** The log may fail for the same reason as what it is to say. */
	static void log(Log logger, String message, Throwable failure) {
		try {
			logger.error(message, failure);
		}
		catch (Throwable again) {
			// What had to be done has been done before.
		}
	}

	static void rethrow(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
	}

	static LockBackendException asBackendException(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof LockBackendException known) ? known
				: new LockBackendException("The lock store failed in an unexpected way: " + cause, cause);
	}

}
