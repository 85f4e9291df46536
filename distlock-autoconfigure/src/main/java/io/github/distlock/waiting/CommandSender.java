package io.github.distlock.waiting;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Effects.QueueEvents;
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
 * Each command of a queue is settled once: answered, failed, or dropped with the whole
 * registry. Any throwable while it is sent, or passed to the executor, is a failure of
 * that command, since the queue sends nothing else before. An {@link Error} is rethrown
 * on a caller's thread, after all its effects have been carried out.
 * <p>
 * The {@code run} methods throw only errors that occur while another error is handled, a
 * second {@link StackOverflowError} for example. A command that is lost by that is marked
 * by a plain write, and the next event of its key settles it.
 */
final class CommandSender {

	private static final Log logger = LogFactory.getLog(CommandSender.class);

	/** For a command whose outcome only its queue has to know. */
	static final Runnable UNNOTICED = () -> {
	};

	/**
	 * How many commands may be sent on one stack, each in the effects of the one before.
	 * Stages may complete at once, so there would be no limit. The executor sends the
	 * next one: not a loop of the thread, in which a command would wait for the code of
	 * an application that an earlier one has called.
	 */
	private static final int MOST_NESTED = 8;

	private final LockStore store;

	private final EngineEnvironment environment;

	private final TaskRunner tasks;

	private final OrphanedTickets orphanedTickets;

	private final FailedCommands failedCommands;

	private final BackgroundSender background;

	/** How many commands the thread is sending without waiting for them. */
	private final ThreadLocal<Integer> nested = ThreadLocal.withInitial(() -> 0);

	CommandSender(LockStore store, EngineEnvironment environment, Executor executor, Executor callbacks,
			ScheduledExecutorService timers) {
		this.store = store;
		this.environment = environment;
		this.tasks = new TaskRunner(executor, callbacks, timers, environment);
		this.orphanedTickets = new OrphanedTickets(store, environment, this.tasks);
		this.failedCommands = new FailedCommands(this, this.tasks);
		this.background = new BackgroundSender(store, this.tasks, this);
	}

	TaskRunner tasks() {
		return this.tasks;
	}

	/**
	 * Carry out the effects of an event, and send the command without waiting for its
	 * answer. Does not block.
	 */
	void run(QueueEvents queue, Effects effects) {
		run(queue, effects, false, UNNOTICED);
	}

	/**
	 * The same, if {@code inOrder} after the earlier commands in order of the key.
	 * @param settled runs when the command has an outcome, at once without a command
	 */
	void run(QueueEvents queue, Effects effects, boolean inOrder, Runnable settled) {
		Command command = effects.command();
		if (command == null) {
			wake(effects);
			settled.run();
			return;
		}
		try {
			try {
				wake(effects);
			}
			finally {
				pass(queue, command, inOrder, settled);
			}
		}
		catch (Throwable ex) {
			command.maybeUnsent = true;
			throw ex;
		}
	}

	private void pass(QueueEvents queue, Command command, boolean inOrder, Runnable settled) {
		int depth = this.store.blocks() ? MOST_NESTED : this.nested.get();
		if (depth < MOST_NESTED) {
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
		this.tasks.execute(inOrder ? queue.key() : null, () -> send(queue, command, settled), (rejection) -> {
			if (command.take()) {
				end(queue, command, null, rejection, settled);
			}
		});
	}

	/**
	 * Carry out the effects of an event, send the command, and wait for its answer.
	 * @return the outcome of the command if it was a release, otherwise
	 * {@link ReleaseOutcome#PENDING}
	 */
	ReleaseOutcome runHere(QueueEvents queue, Effects effects) {
		Command command = effects.command();
		ReleaseOutcome outcome = ReleaseOutcome.PENDING;
		try {
			try {
				wake(effects);
			}
			finally {
				if (command != null) {
					outcome = sendAndAwait(queue, command);
				}
			}
		}
		catch (Throwable ex) {
			if (command != null) {
				command.outcomeLost = true;
			}
			throw ex;
		}
		return outcome;
	}

	/**
	 * Carry out the effects of an event, and send the command without waiting for its
	 * answer, on this thread if it is a release in the background and the store does not
	 * wait for the answer either.
	 * @return {@link ReleaseOutcome#PENDING}, or the outcome if the release was confirmed
	 */
	ReleaseOutcome runInBackground(QueueEvents queue, Effects effects) {
		if (!(effects.command() instanceof Command.Release release) || release.pending().background == null) {
			run(queue, effects);
			return ReleaseOutcome.PENDING;
		}
		try {
			ReleaseOutcome outcome;
			try {
				wake(effects);
			}
			finally {
				outcome = this.background.send(queue, release);
			}
			return outcome;
		}
		catch (Throwable ex) {
			release.maybeUnsent = true;
			throw ex;
		}
	}

	/**
	 * Carry out the effects of an event, send the command, and wait for its answer, on a
	 * thread that does not want its outcome.
	 */
	void runForWaiter(QueueEvents queue, Effects effects) {
		Command command = effects.command();
		ReleaseOutcome outcome = runHere(queue, effects);
		if (command != null) {
			report(command, outcome);
		}
	}

	/** Release a ticket that belongs to no queue. */
	void releaseUnknown(Ticket ticket, long token) {
		this.orphanedTickets.release(ticket, token);
	}

	/**
	 * Report to a queue after a delay that its timer fired.
	 * @return why no timer could be scheduled, or {@code null}. If none could, the timer
	 * is scheduled within a second.
	 */
	@Nullable LockBackendException scheduleTimer(QueueEvents queue, long delayNanos) {
		Runnable task = () -> timerFired(queue, false);
		try {
			this.tasks.schedule(task, delayNanos);
			return null;
		}
		catch (LockBackendException ex) {
			this.tasks.scheduleBySweep(task, delayNanos);
			return ex;
		}
	}

	private void timerFired(QueueEvents queue, boolean again) {
		try {
			run(queue, again ? queue.retryAll() : queue.timerFired());
		}
		catch (Throwable ex) {
			this.tasks.scheduleRecovery(() -> timerFired(queue, true));
			logger.error("The timer of lock '" + queue.key() + "' failed and is scheduled again", ex);
		}
	}

	private void wake(Effects effects) {
		List<Waiter> woken = effects.woken();
		// No iterator: most events wake no waiter.
		for (int i = 0; i < woken.size(); i++) {
			wake(woken.get(i));
		}
		Ticket stray = effects.stray();
		if (stray != null) {
			this.orphanedTickets.cancelLater(stray);
		}
	}

	private void wake(Waiter waiter) {
		try {
			waiter.wake();
		}
		catch (Throwable ex) {
			this.tasks.scheduleRecovery(() -> wake(waiter));
			logger.error("A caller that waits for lock '" + waiter.request().key() + "' could not be woken", ex);
		}
	}

	/**
	 * Send a command, unless it has been taken before. The thread that completes the
	 * stage settles it.
	 * @param settled runs after that
	 */
	void send(QueueEvents queue, Command command, Runnable settled) {
		if (!command.take()) {
			return;
		}
		try {
			verb(command).whenComplete((result, failure) -> end(queue, command, result, failure, settled));
			if (this.store.keepsOrder() && command instanceof Command.Release release && release.isUnawaited()) {
				// After the release was sent, and not before. If this fails, the queue
				// waits for the answer.
				run(queue, queue.releaseSent(release));
			}
		}
		catch (Throwable ex) {
			end(queue, command, null, ex, settled);
		}
	}

	/** Send a command on this thread, and wait for the answer. */
	ReleaseOutcome sendAndAwait(QueueEvents queue, Command command) {
		Object result;
		try {
			result = this.environment.await(verb(command));
		}
		catch (Throwable ex) {
			return failed(queue, command, ex);
		}
		return answered(queue, command, result);
	}

	private CompletionStage<?> verb(Command command) {
		if (command instanceof Command.Attempt attempt) {
			return this.store.attempt(attempt.ticket(), attempt.lease(), attempt.options());
		}
		Command.Release release = (Command.Release) command;
		PendingRelease pending = release.pending();
		return pending.releasesLock ? this.store.release(pending.ticket, pending.lastToken, release.next())
				: this.store.cancel(pending.ticket);
	}

	/** The stage of a command has ended. Called once or more, on any thread. */
	private void end(QueueEvents queue, Command command, @Nullable Object result, @Nullable Throwable failure,
			Runnable settled) {
		try {
			if (command.end()) {
				report(command, (failure != null) ? failed(queue, command, failure) : answered(queue, command, result));
				settled.run();
			}
		}
		catch (Throwable ex) {
			// First, without a call: logging may fail, too.
			command.outcomeLost = true;
			logger.error("A command for lock '" + queue.key() + "' failed", ex);
		}
	}

	/** Settle a command that failed, or could not be sent. */
	private ReleaseOutcome failed(QueueEvents queue, Command command, Throwable failure) {
		this.failedCommands.failed(queue, command, failure);
		if (StoreCalls.unwrap(failure) instanceof Error error) {
			throw error;
		}
		return (command instanceof Command.Release) ? ReleaseOutcome.UNANSWERED : ReleaseOutcome.PENDING;
	}

	private ReleaseOutcome answered(QueueEvents queue, Command command, @Nullable Object result) {
		Effects effects;
		ReleaseOutcome outcome = ReleaseOutcome.PENDING;
		try {
			if (command instanceof Command.Attempt attempt) {
				effects = queue.attemptAnswered(attempt, (AttemptResult) required(result));
			}
			else {
				PendingRelease pending = ((Command.Release) command).pending();
				ReleaseResult answer = pending.releasesLock ? (ReleaseResult) required(result) : null;
				effects = queue.releaseAnswered(pending, answer);
				// A caller gets the first answer only. In a later answer GONE may be the
				// effect of an earlier release.
				outcome = (answer != null && !answer.released()) ? ReleaseOutcome.GONE : ReleaseOutcome.RELEASED;
			}
		}
		catch (Throwable ex) {
			return failed(queue, command, ex);
		}
		run(queue, effects);
		return outcome;
	}

	private static Object required(@Nullable Object result) {
		return Objects.requireNonNull(result, "The store returned no result");
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
		BackgroundRelease observed = Objects.requireNonNull(release.pending().background);
		if (outcome == ReleaseOutcome.GONE) {
			observed.reportGone();
		}
		else if (outcome == ReleaseOutcome.UNANSWERED) {
			observed.reportUnanswered();
		}
	}

}
