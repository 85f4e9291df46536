package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.engine.Effects.Command;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.engine.PendingReleases.PendingRelease;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the {@link Effects} of keys: wakes waiters, sends commands, and reports the
 * answers to the key states.
 * <p>
 * There are two ways to send. {@link #sendAndAwait}: the thread of a caller sends the
 * command, waits for its stage, and settles it. {@link #send}: no thread waits, and the
 * one that completes the stage settles the command. It may be a thread of the driver, so
 * that does not block.
 * <p>
 * Any throwable while a command is sent, or passed to the executor, is a failure of that
 * command, since the key sends nothing else before. An {@link Error} is rethrown on a
 * caller's thread. An error in an event of a key is not handled here: the sweep of
 * {@link KeyTable} settles the command.
 */
final class CommandSender {

	private static final Log logger = LockLog.of(CommandSender.class);

	/**
	 * How often a ticket of no key state is released: enough for an outage of ten command
	 * time-outs.
	 */
	private static final int MOST_SENDS = 10;

	private final LockStore store;

	private final EngineEnvironment environment;

	private final TaskRunner tasks;

	private final Duration commandTimeout;

	private final BackgroundCommands background;

	CommandSender(LockStore store, Duration commandTimeout, EngineEnvironment environment, TaskRunner tasks) {
		this.store = store;
		this.environment = environment;
		this.tasks = tasks;
		this.background = new BackgroundCommands(store, tasks::execute);
		this.commandTimeout = commandTimeout;
	}

	TaskRunner tasks() {
		return this.tasks;
	}

	BackgroundCommands background() {
		return this.background;
	}

	/**
	 * Run an event on any thread, and carry out its effects if there are any. Does not
	 * block.
	 */
	void onEvent(KeyState state, Supplier<? extends @Nullable Effects> event) {
		this.tasks.onEvent(state.isFree(), () -> {
			Effects effects = event.get();
			if (effects != null) {
				send(state, effects);
			}
		});
	}

	/**
	 * Carry out the effects of an event on the thread of a caller: send the command and
	 * wait for its answer.
	 */
	void sendAndAwait(KeyState state, Effects effects) {
		wake(effects);
		Command command = effects.command();
		BackgroundCommands others = this.background;
		if (command instanceof Command.Attempt attempt && attempt.first
				&& (others.attempts.get() >= others.mostAttempts || !others.queued.isEmpty())) {
			// If it has to wait, its caller parks: the wait time ends that, no time-out.
			dispatch(state, command, false, null);
			return;
		}
		if (command == null || !command.beginSend()) {
			return;
		}
		Object result = null;
		Throwable failure = null;
		try {
			result = this.environment.await(verb(command));
		}
		catch (Throwable ex) {
			failure = StoreCalls.unwrap(ex);
		}
		settle(state, command, result, failure);
		if (!others.queued.isEmpty()) {
			others.sendQueued();
		}
		if (failure instanceof Error error) {
			throw error;
		}
	}

	/**
	 * Send a release, and wait for its answer. If another command of the key is sent
	 * before it, wait for both, for two time-outs at most.
	 */
	void sendAndAwait(KeyState state, Effects effects, PendingRelease release, Duration timeout) {
		if (effects.command() instanceof Command.Release sent && sent.pending == release) {
			sendAndAwait(state, effects);
		}
		else {
			send(state, effects);
		}
		if (!release.isDone()) {
			try {
				this.environment.await(release, timeout.multipliedBy(2));
			}
			catch (CompletionException ex) {
				logger.debug("A release is not answered", ex);
			}
		}
	}

	/** Carry out the effects of an event on any thread. Does not block. */
	void send(KeyState state, Effects effects) {
		send(state, effects, false, null);
	}

	/**
	 * The same.
	 * @param inOrder whether the command is sent after the earlier ones of the key that
	 * were sent in order
	 * @param settled runs when the command has an outcome, at once without a command
	 */
	void send(KeyState state, Effects effects, boolean inOrder, @Nullable Runnable settled) {
		wake(effects);
		Command command = effects.command();
		if (command != null) {
			dispatch(state, command, inOrder, settled);
		}
		else if (settled != null) {
			settled.run();
		}
	}

	/** An error here would prevent that the command is sent. */
	private void wake(Effects effects) {
		List<Waiter> woken = effects.woken();
		// No iterator: most events wake no waiter.
		for (int i = 0; i < woken.size(); i++) {
			woken.get(i).wake();
		}
		Ticket stray = effects.stray();
		if (stray != null) {
			// When no copy of its attempt is on its way any more.
			TaskRunner.logging(() -> sendLater(() -> this.store.cancel(stray), MOST_SENDS)).run();
		}
		PendingRelease unanswered = effects.unanswered();
		if (unanswered != null) {
			unanswered.complete(ReleaseOutcome.UNANSWERED);
		}
	}

	private void dispatch(KeyState state, Command command, boolean inOrder, @Nullable Runnable settled) {
		this.background.send(inOrder ? state.key() : null, command instanceof Command.Attempt attempt && attempt.first,
				() -> command.beginSend() ? verb(command) : CompletableFuture.completedFuture(command),
				(result, failure) -> {
					// Otherwise it was given up, or taken, before.
					if (result != command) {
						end(state, command, result, failure, settled);
					}
				});
	}

	/** Release a ticket that was granted the lock and belongs to no key state. */
	void releaseUnknown(Ticket ticket, long token) {
		send(() -> this.store.release(ticket, token, null), MOST_SENDS);
	}

	/**
	 * Release or cancel a ticket that belongs to no key state. What fails is repeated,
	 * each time after the time that a command may take; in the end the lease ends it.
	 */
	private void send(Supplier<CompletionStage<?>> verb, int sends) {
		this.background.send(null, false, verb, (result, failure) -> {
			if (failure != null) {
				logger.debug("A ticket without a caller could not be released: it ends with its lease", failure);
				if (sends > 1) {
					sendLater(verb, sends - 1);
				}
			}
		});
	}

	private void sendLater(Supplier<CompletionStage<?>> verb, int sends) {
		// Twice: an attempt that an error has failed was perhaps sent a moment ago.
		this.tasks.schedule(() -> send(verb, sends), 2 * this.commandTimeout.toNanos());
	}

	private CompletionStage<?> verb(Command command) {
		if (command instanceof Command.Attempt attempt) {
			attempt.countIn(this.background.attempts);
			return this.store.attempt(attempt.ticket, attempt.lease, attempt.queue);
		}
		Command.Release release = (Command.Release) command;
		PendingRelease pending = release.pending;
		return pending.releasesLock ? this.store.release(pending.ticket, pending.lastToken, release.next)
				: this.store.cancel(pending.ticket);
	}

	/**
	 * The boundary to the driver: the stage of a command has ended, on any thread, or the
	 * command could not be sent. Of several calls the key accepts the first.
	 */
	private void end(KeyState state, Command command, @Nullable Object result, @Nullable Throwable failure,
			@Nullable Runnable settled) {
		try {
			this.tasks.onEvent(state.isFree(), () -> {
				settle(state, command, result, failure);
				this.background.sendQueued();
				if (settled != null) {
					settled.run();
				}
			});
		}
		catch (Throwable ex) {
			logger.error("A command for lock '" + state.key() + "' failed", ex);
		}
	}

	private void settle(KeyState state, Command command, @Nullable Object result, @Nullable Throwable failure) {
		command.end();
		LockBackendException cause = (failure != null) ? asBackendException(StoreCalls.unwrap(failure)) : null;
		BackgroundCommands others = this.background;
		if (cause != null) {
			others.failed();
		}
		else {
			others.answered = true;
			if (others.mostAttempts < BackgroundCommands.MOST_ATTEMPTS) {
				others.mostAttempts++;
			}
		}
		Command.Release release = (command instanceof Command.Release leaving) ? leaving : null;
		ReleaseResult answer = (result instanceof ReleaseResult released) ? released : null;
		// A cancel has no result.
		boolean answered = release != null && cause == null && (answer != null || !release.pending.releasesLock);
		boolean late = false;
		try {
			Effects effects = (release != null && answered) ? state.releaseAnswered(release, answer)
					: (command instanceof Command.Attempt attempt && cause == null
							&& result instanceof AttemptResult attempted) ? state.attemptAnswered(attempt, attempted)
									: state.failed(command, (cause != null) ? cause
											: new LockBackendException("The lock store returned no result"));
			late = effects == null;
			if (effects != null) {
				send(state, effects);
			}
		}
		finally {
			// Also after an error, which may have removed the release. What comes too
			// late was completed by a sweep.
			if (release != null && !late) {
				release.complete(!answered ? ReleaseOutcome.UNANSWERED
						: (answer != null && !answer.released()) ? ReleaseOutcome.GONE : ReleaseOutcome.RELEASED);
			}
		}
	}

	private static LockBackendException asBackendException(Throwable cause) {
		return (cause instanceof LockBackendException backendException) ? backendException
				: new LockBackendException("The lock store failed in an unexpected way: " + cause, cause);
	}

}
