package io.github.distlock.waiting;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Holder.ReleaseObserver;
import io.github.distlock.waiting.Holder.ReleaseOutcome;
import io.github.distlock.waiting.PendingReleases.PendingRelease;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the {@link Effects} of key queues: wakes waiters, sends commands, and
 * reports the answers to the queues.
 * <p>
 * There are two ways to send. A thread of a caller that needs the outcome waits for the
 * stage, and settles the command itself. Otherwise the thread that completes the stage
 * settles it, which may be one of the driver: so that never blocks. If the store blocks,
 * threads of the executor send such commands, so that a caller sends one command at most.
 * If it does not, the thread that has the effects sends them.
 * <p>
 * Any throwable while a command is sent, or passed to the executor, is a failure of that
 * command, since the queue sends nothing else before. An {@link Error} is rethrown on a
 * caller's thread. An error in an event of a queue is not handled here: the sweep of
 * {@link KeyQueues} settles the command.
 */
final class CommandSender {

	private static final Log logger = LogFactory.getLog(CommandSender.class);

	/** Does nothing when the command has ended. */
	static final Runnable UNNOTICED = () -> {
	};

	/**
	 * How many commands may be sent on one stack, each in the effects of the one before.
	 * Stages may complete at once, so there would be no limit. The executor sends the
	 * next one: not a loop of the thread, in which a command would wait for the code of
	 * an application that an earlier one has called.
	 */
	private static final int MOST_NESTED = 8;

	/**
	 * How many releases in the background the executor sends at a time: it has as many
	 * threads. More would delay its other commands, and would be sent later than by their
	 * callers.
	 */
	private static final int MOST_IN_BACKGROUND = 4;

	private final LockStore store;

	private final EngineEnvironment environment;

	private final TaskRunner tasks;

	private final OrphanedTickets orphanedTickets;

	private final Semaphore background = new Semaphore(MOST_IN_BACKGROUND);

	/** How many commands the thread is sending without waiting for them. */
	private final ThreadLocal<Integer> nested = ThreadLocal.withInitial(() -> 0);

	CommandSender(LockStore store, Duration strayDelay, EngineEnvironment environment, Executor executor,
			Executor callbacks, ScheduledExecutorService timers) {
		this.store = store;
		this.environment = environment;
		this.tasks = new TaskRunner(executor, callbacks, timers, environment);
		this.orphanedTickets = new OrphanedTickets(store, strayDelay, this.tasks);
	}

	TaskRunner tasks() {
		return this.tasks;
	}

	/**
	 * Run an event on any thread, and carry out its effects if there are any. Does not
	 * block.
	 */
	void onEvent(KeyQueue queue, Supplier<? extends @Nullable Effects> event) {
		this.tasks.onEvent(queue.isFree(), () -> {
			Effects effects = event.get();
			if (effects != null) {
				run(queue, effects);
			}
		});
	}

	/**
	 * Carry out the effects of an event, and send the command without waiting for its
	 * answer. Does not block.
	 */
	void run(KeyQueue queue, Effects effects) {
		run(queue, effects, false, UNNOTICED);
	}

	/**
	 * The same, if {@code inOrder} after the earlier commands in order of the key.
	 * @param settled runs when the command has an outcome, at once without a command
	 */
	void run(KeyQueue queue, Effects effects, boolean inOrder, Runnable settled) {
		wake(effects);
		Command command = effects.command();
		if (command == null) {
			settled.run();
			return;
		}
		int depth = this.nested.get();
		if (!this.store.blocks() && depth < MOST_NESTED) {
			this.nested.set(depth + 1);
			try {
				send(queue, command, settled);
			}
			finally {
				if (depth == 0) {
					this.nested.remove();
				}
				else {
					this.nested.set(depth);
				}
			}
			return;
		}
		Runnable task = () -> send(queue, command, settled);
		if (inOrder) {
			this.tasks.executeInOrder(queue.key(), task, (rejection) -> end(queue, command, null, rejection, settled));
			return;
		}
		Throwable rejection = this.tasks.execute(task);
		if (rejection != null) {
			end(queue, command, null, rejection, settled);
		}
	}

	/**
	 * Carry out the effects of an event, send the command, and wait for its answer.
	 * @return the outcome of the command if it was a release, otherwise
	 * {@link ReleaseOutcome#PENDING}
	 */
	ReleaseOutcome runHere(KeyQueue queue, Effects effects) {
		wake(effects);
		Command command = effects.command();
		return (command != null) ? sendAndAwait(queue, command) : ReleaseOutcome.PENDING;
	}

	/** The same, on a thread that does not want the outcome. */
	void runForWaiter(KeyQueue queue, Effects effects) {
		ReleaseOutcome outcome = runHere(queue, effects);
		Command command = effects.command();
		if (command != null) {
			report(command, outcome);
		}
	}

	/**
	 * Carry out the effects of a release in the background. The caller's thread sends it
	 * if the store does not wait for the answer, otherwise a thread of the executor. It
	 * is confirmed after all if the executor has enough of them or has been shut down. So
	 * is that of a ticket of one caller if the store keeps no order: the next ticket of
	 * the key would not wait for it.
	 * @return {@link ReleaseOutcome#PENDING}, or the outcome if the release was confirmed
	 */
	ReleaseOutcome runInBackground(KeyQueue queue, Effects effects) {
		if (!(effects.command() instanceof Command.Release release) || !release.isUnawaited()) {
			run(queue, effects);
			return ReleaseOutcome.PENDING;
		}
		wake(effects);
		boolean fair = release.pending.ticket.fair();
		if (this.store.keepsOrder() || (!this.store.blocks() && !fair)) {
			// An answer that comes at once is no outcome: whether the caller learns of a
			// loss must not depend on the speed of the store.
			send(queue, release, UNNOTICED);
			return ReleaseOutcome.PENDING;
		}
		if (!fair && this.background.tryAcquire()) {
			Throwable rejection = this.tasks.execute(() -> {
				try {
					send(queue, release, UNNOTICED);
				}
				finally {
					this.background.release();
				}
			});
			if (rejection == null) {
				return ReleaseOutcome.PENDING;
			}
			this.background.release();
		}
		return sendAndAwait(queue, release);
	}

	/** Release a ticket that belongs to no queue. */
	void releaseUnknown(Ticket ticket, long token) {
		this.orphanedTickets.release(ticket, token);
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
			TaskRunner.logging(() -> this.orphanedTickets.cancelLater(stray)).run();
		}
	}

	/**
	 * Send a command, unless it has been taken before. The thread that completes the
	 * stage settles it.
	 * @param settled runs after that
	 */
	private void send(KeyQueue queue, Command command, Runnable settled) {
		if (!command.take()) {
			return;
		}
		try {
			verb(command).whenComplete((result, failure) -> end(queue, command, result, failure, settled));
		}
		catch (Throwable ex) {
			end(queue, command, null, ex, settled);
		}
	}

	/** Send a command on this thread, and wait for the answer. */
	private ReleaseOutcome sendAndAwait(KeyQueue queue, Command command) {
		if (!command.take()) {
			return ReleaseOutcome.PENDING;
		}
		Object result = null;
		Throwable failure = null;
		try {
			result = this.environment.await(verb(command));
		}
		catch (Throwable ex) {
			failure = StoreCalls.unwrap(ex);
		}
		ReleaseOutcome outcome = settle(queue, command, result, failure);
		if (failure instanceof Error error) {
			throw error;
		}
		// A release without an outcome was settled by a sweep, and is repeated.
		return (outcome == ReleaseOutcome.PENDING && command instanceof Command.Release) ? ReleaseOutcome.UNANSWERED
				: outcome;
	}

	private CompletionStage<?> verb(Command command) {
		if (command instanceof Command.Attempt attempt) {
			return this.store.attempt(attempt.ticket, attempt.lease, attempt.queue);
		}
		Command.Release release = (Command.Release) command;
		PendingRelease pending = release.pending;
		return pending.releasesLock ? this.store.release(pending.ticket, pending.lastToken, release.next)
				: this.store.cancel(pending.ticket);
	}

	/**
	 * The boundary to the driver: the stage of a command has ended, on any thread, or the
	 * command could not be sent. Of several calls the queue accepts the first.
	 */
	private void end(KeyQueue queue, Command command, @Nullable Object result, @Nullable Throwable failure,
			Runnable settled) {
		try {
			this.tasks.onEvent(queue.isFree(), () -> {
				report(command, settle(queue, command, result, failure));
				settled.run();
			});
		}
		catch (Throwable ex) {
			logger.error("A command for lock '" + queue.key() + "' failed", ex);
		}
	}

	private ReleaseOutcome settle(KeyQueue queue, Command command, @Nullable Object result,
			@Nullable Throwable failure) {
		command.take();
		command.ended = true;
		LockBackendException cause = (failure != null) ? asBackendException(StoreCalls.unwrap(failure)) : null;
		ReleaseOutcome outcome = ReleaseOutcome.PENDING;
		Effects effects;
		if (cause == null && command instanceof Command.Attempt attempt && result instanceof AttemptResult answer) {
			effects = queue.attemptAnswered(attempt, answer);
		}
		else if (cause == null && command instanceof Command.Release release
				&& (result instanceof ReleaseResult || !release.pending.releasesLock)) {
			// A cancel has no result.
			ReleaseResult answer = release.pending.releasesLock ? (ReleaseResult) result : null;
			effects = queue.releaseAnswered(release, answer);
			// A caller gets the first answer only. In a later answer GONE may be the
			// effect of an earlier release.
			outcome = (answer != null && !answer.released()) ? ReleaseOutcome.GONE : ReleaseOutcome.RELEASED;
		}
		else {
			effects = queue.failed(command,
					(cause != null) ? cause : new LockBackendException("The lock store returned no result"));
			outcome = ReleaseOutcome.UNANSWERED;
		}
		if (effects == null) {
			return ReleaseOutcome.PENDING;
		}
		run(queue, effects);
		return outcome;
	}

	private static LockBackendException asBackendException(Throwable cause) {
		return (cause instanceof LockBackendException backendException) ? backendException
				: new LockBackendException("The lock store failed in an unexpected way: " + cause, cause);
	}

	/**
	 * Report that a lock had been lost when it was released, or that the store did not
	 * answer, if no caller waited for that. After a repetition this is no news: the first
	 * release may have been executed.
	 */
	private void report(Command command, ReleaseOutcome outcome) {
		if (!(command instanceof Command.Release release) || !release.isUnawaited()) {
			return;
		}
		ReleaseObserver observed = Objects.requireNonNull(release.pending.background).observer();
		if (outcome == ReleaseOutcome.GONE) {
			observed.gone();
		}
		else if (outcome == ReleaseOutcome.UNANSWERED) {
			observed.unanswered();
		}
	}

	/**
	 * Releases or cancels, in the background, tickets in the store that belong to no key
	 * queue. What fails is repeated, each time after the time that a command may take; in
	 * the end the lease ends it. Thread-safe.
	 */
	static final class OrphanedTickets {

		private static final Log logger = LogFactory.getLog(OrphanedTickets.class);

		/** Enough for an outage of ten command time-outs. */
		private static final int MAX_SENDS = 10;

		private final LockStore store;

		private final Duration delay;

		private final TaskRunner tasks;

		OrphanedTickets(LockStore store, Duration delay, TaskRunner tasks) {
			this.store = store;
			this.delay = delay;
			this.tasks = tasks;
		}

		/** Release a ticket that was granted the lock. */
		void release(Ticket ticket, long token) {
			send(() -> this.store.release(ticket, token, null), MAX_SENDS);
		}

		/** Cancel a ticket again, when no copy of its attempt is on its way any more. */
		void cancelLater(Ticket ticket) {
			this.tasks.schedule(() -> send(() -> this.store.cancel(ticket), MAX_SENDS), this.delay.toNanos());
		}

		private void send(Supplier<CompletionStage<?>> verb, int sends) {
			// Composed, since a verb may also throw.
			this.tasks.execute(() -> CompletableFuture.completedFuture(null)
				.thenCompose((nothing) -> verb.get())
				.whenComplete((result, failure) -> {
					if (failure != null) {
						logger.debug("A ticket without a caller could not be released: it ends with its lease",
								failure);
						if (sends > 1) {
							this.tasks.schedule(() -> send(verb, sends - 1), this.delay.toNanos());
						}
					}
				}));
		}

	}

}
