package io.github.distlock.backend;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.distlock.LockBackendException;

/**
 * What every store does with the results of its commands.
 */
public final class StoreCalls {

	/** Where the documentation is. Messages add the name of a page. */
	public static final String DOCS = "https://github.com/distlock/distlock/blob/main/docs/";

	private StoreCalls() {
	}

	/**
	 * Wait for a result. An interrupt does not cut the wait short: the flag is set again
	 * afterwards.
	 * @param <T> the type of the result
	 * @param result the result
	 * @param timeout how long to wait
	 * @param clock the time
	 * @return the result
	 * @throws ExecutionException if the result is a failure
	 * @throws TimeoutException if there is no result within the time-out
	 */
	public static <T> T awaitUninterruptibly(Future<T> result, Duration timeout, TimeSource clock)
			throws ExecutionException, TimeoutException {
		boolean interrupted = false;
		long start = clock.nanoTime();
		try {
			while (true) {
				try {
					long remaining = timeout.toNanos() - (clock.nanoTime() - start);
					return result.get(Math.max(remaining, 0), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Return the failure itself, without the exception in which futures and completion
	 * stages wrap it.
	 * @param failure what a future or a stage completed with
	 * @return the failure
	 */
	public static Throwable unwrap(Throwable failure) {
		boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
		return (wrapped && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Join the lines of a message, since a log has one line for each event.
	 * @param message the message of a driver or a server
	 * @return the message in one line
	 */
	public static String oneLine(String message) {
		return message.strip().replaceAll("\\s+", " ");
	}

	/**
	 * Return the failure of a command of a store that has been closed.
	 * @param store the name of the store
	 * @return the exception to throw
	 */
	public static LockBackendException closed(String store) {
		return new LockBackendException("The " + store + " lock store is not running: it works from the start of the"
				+ " application context until its shutdown");
	}

}
