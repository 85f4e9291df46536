package io.github.distlock.waiting;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Effects.QueueEvents;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the {@link Effects} of key queues: wakes waiters, sends commands, and
 * reports the answers to the queues. The effects of an answer are carried out by the
 * executor, so that a caller sends one command at most.
 * <p>
 * Each command of a queue is settled: answered, failed, or dropped with the whole
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

	private final LockStore store;

	private final Executor callbacks;

	private final Tasks tasks;

	private final OrphanedTickets orphanedTickets;

	private final FailedCommands failedCommands;

	private final BackgroundSender background;

	CommandSender(LockStore store, Executor executor, Executor callbacks, ScheduledExecutorService timers) {
		this.store = store;
		this.callbacks = callbacks;
		this.tasks = new Tasks(executor, timers);
		this.orphanedTickets = new OrphanedTickets(store, this.tasks);
		this.failedCommands = new FailedCommands(this, this.tasks);
		this.background = new BackgroundSender(store, this.tasks, this);
	}

	Executor callbacks() {
		return this.callbacks;
	}

	Tasks tasks() {
		return this.tasks;
	}

	/** Carry out the effects of an event, and send the command in the background. */
	void runAsync(QueueEvents queue, Effects effects) {
		runAsync(queue, effects, false, UNNOTICED);
	}

	/**
	 * The same, if {@code inOrder} after the earlier commands in order of the key.
	 * @param settled runs when the command has an outcome, at once without a command
	 */
	void runAsync(QueueEvents queue, Effects effects, boolean inOrder, Runnable settled) {
		if (effects.command() == null) {
			wake(effects);
			settled.run();
			return;
		}
		run(effects, (command) -> this.tasks.execute(inOrder ? queue.key() : null, () -> {
			sendIfFirst(queue, command);
			settled.run();
		}, (rejection) -> {
			if (command.take()) {
				this.failedCommands.failed(queue, command, rejection);
				settled.run();
			}
		}));
	}

	private void run(Effects effects, Consumer<Command> sending) {
		Command command = effects.command();
		try {
			try {
				wake(effects);
			}
			finally {
				if (command != null) {
					sending.accept(command);
				}
			}
		}
		catch (Throwable ex) {
			if (command != null) {
				command.maybeUnsent = true;
			}
			throw ex;
		}
	}

	/**
	 * Carry out the effects of an event, and send the command on this thread.
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
					outcome = send(queue, command);
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
	 * answer if it is a release in the background.
	 * @return {@link ReleaseOutcome#PENDING}, or the outcome if the release was confirmed
	 */
	ReleaseOutcome runInBackground(QueueEvents queue, Effects effects) {
		if (!(effects.command() instanceof Command.Release release) || release.pending().background == null) {
			runAsync(queue, effects);
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
	 * Carry out the effects of an event, and send the command on this thread, which does
	 * not want its outcome.
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
	 * is scheduled after the next event of any key.
	 */
	@Nullable LockBackendException scheduleTimer(QueueEvents queue, long delayNanos) {
		Runnable task = () -> timerFired(queue, false);
		try {
			this.tasks.schedule(task, delayNanos);
			return null;
		}
		catch (LockBackendException ex) {
			this.tasks.scheduleWithNextEvent(task, delayNanos);
			return ex;
		}
	}

	private void timerFired(QueueEvents queue, boolean again) {
		try {
			runAsync(queue, again ? queue.retryAll() : queue.timerFired());
		}
		catch (Throwable ex) {
			this.tasks.scheduleRecovery(() -> timerFired(queue, true));
			logger.error("The timer of lock '" + queue.key() + "' failed and is scheduled again", ex);
		}
	}

	private void wake(Effects effects) {
		this.tasks.scheduleRejected();
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

	/** Send on a thread of the executor, which no caller waits for. */
	private void sendIfFirst(QueueEvents queue, Command command) {
		if (command.take() && !this.background.sendInOrder(queue, command)) {
			sendTaken(queue, command);
		}
	}

	void sendTaken(QueueEvents queue, Command command) {
		try {
			report(command, send(queue, command));
		}
		catch (Throwable ex) {
			// First, without a call: logging may fail, too.
			command.outcomeLost = true;
			logger.error("A command for lock '" + queue.key() + "' failed", ex);
		}
	}

	/**
	 * Report that a lock had been lost when it was released, or that the store did not
	 * answer, if no caller waited for that. After a repetition this is no news: the first
	 * release may have been executed.
	 */
	void report(Command command, ReleaseOutcome outcome) {
		BackgroundRelease background = (command instanceof Command.Release release && !release.isRepeated())
				? release.pending().background : null;
		if (background != null && outcome == ReleaseOutcome.GONE) {
			background.reportGone();
		}
		else if (background != null && outcome == ReleaseOutcome.UNANSWERED) {
			background.reportUnanswered();
		}
	}

	private ReleaseOutcome send(QueueEvents queue, Command command) {
		if (command instanceof Command.Attempt attempt) {
			attempt(queue, attempt);
			return ReleaseOutcome.PENDING;
		}
		return release(queue, (Command.Release) command);
	}

	private void attempt(QueueEvents queue, Command.Attempt attempt) {
		Effects effects;
		try {
			effects = queue.attemptAnswered(attempt,
					this.store.attempt(attempt.ticket(), attempt.lease(), attempt.options()));
		}
		catch (Throwable ex) {
			this.failedCommands.failed(queue, attempt, ex);
			rethrowError(ex);
			return;
		}
		runAsync(queue, effects);
	}

	/** Send a release or a cancel on this thread, and wait for the answer. */
	ReleaseOutcome release(QueueEvents queue, Command.Release release) {
		PendingRelease pending = release.pending();
		ReleaseResult result = null;
		try {
			if (pending.releasesLock) {
				result = this.store.release(pending.ticket, pending.lastToken, release.next());
			}
			else {
				this.store.cancel(pending.ticket);
			}
		}
		catch (Throwable ex) {
			return unanswered(queue, release, ex);
		}
		return answered(queue, release, result);
	}

	/** Settle a release or a cancel that failed, or could not be sent. */
	ReleaseOutcome unanswered(QueueEvents queue, Command.Release release, Throwable failure) {
		this.failedCommands.failed(queue, release, failure);
		rethrowError(failure);
		return ReleaseOutcome.UNANSWERED;
	}

	/** Settle a release or a cancel, which has no result. */
	ReleaseOutcome answered(QueueEvents queue, Command.Release release, @Nullable ReleaseResult result) {
		Effects effects;
		try {
			effects = queue.releaseAnswered(release.pending(), result);
		}
		catch (Throwable ex) {
			return unanswered(queue, release, ex);
		}
		runAsync(queue, effects);
		// A caller gets the first answer only. In a later answer GONE may be the effect
		// of an earlier release.
		return (result != null && !result.released()) ? ReleaseOutcome.GONE : ReleaseOutcome.RELEASED;
	}

	private static void rethrowError(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
	}

}
