package io.github.distlock.contract;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The answers to the verbs of a store, for tests that call them directly.
 */
public final class Answers {

	/** Only for a stage that never ends: a store has a time-out of its own. */
	private static final Duration LONGEST = Duration.ofSeconds(60);

	private Answers() {
	}

	/**
	 * Wait for an answer. An interrupt does not end the wait: the flag is kept.
	 * @param <T> the type of the answer
	 * @param stage what a verb has returned
	 * @return the answer
	 * @throws io.github.distlock.LockBackendException if the verb has failed
	 */
	public static <T> T of(CompletionStage<T> stage) {
		try {
			return stage.toCompletableFuture().copy().orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS).join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof RuntimeException failure) {
				throw failure;
			}
			throw new AssertionError("The verb has failed, or its stage has not ended within " + LONGEST, ex);
		}
	}

}
