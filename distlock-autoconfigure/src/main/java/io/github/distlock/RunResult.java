package io.github.distlock;

import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

/**
 * What {@link LockRegistry#tryRun} did: it ran the action, or it did not, and why. An
 * action that ran and returned {@code null} is not mistaken for one that did not run.
 *
 * @param <T> type of the result of the action
 */
public sealed interface RunResult<T extends @Nullable Object> {

	/**
	 * The action ran under the lock.
	 *
	 * @param <T> type of the result
	 * @param result what the action returned
	 */
	record Ran<T extends @Nullable Object>(T result) implements RunResult<T> {
	}

	/**
	 * The lock was not acquired, so the action did not run.
	 *
	 * @param <T> type of the result that an action would have had
	 * @param exception what {@link LockRegistry#execute(LockRequest, Callable)} would
	 * have thrown: its {@link LockNotAcquiredException#reason() reason}, its
	 * {@link LockNotAcquiredException#holder() holder}, and a message
	 */
	record NotRun<T extends @Nullable Object>(LockNotAcquiredException exception) implements RunResult<T> {
	}

}
