package io.github.distlock.waiting;

import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Effects.QueueEvents;
import io.github.distlock.waiting.PendingReleases.PendingRelease;
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

	private static final long RECOVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockStore store;

	private final Executor callbacks;

	private final Tasks tasks;

	private final OrphanedTickets orphanedTickets;

	CommandSender(LockStore store, Executor executor, Executor callbacks, ScheduledExecutorService timers) {
		this.store = store;
		this.callbacks = callbacks;
		this.tasks = new Tasks(executor, timers);
		this.orphanedTickets = new OrphanedTickets(store, this.tasks);
	}

	Executor callbacks() {
		return this.callbacks;
	}

	Tasks tasks() {
		return this.tasks;
	}

	/** Carry out the effects of an event, and send the command in the background. */
	void runAsync(QueueEvents queue, Effects effects) {
		run(effects, (command) -> {
			Throwable rejection = this.tasks.execute(() -> sendIfFirst(queue, command));
			if (rejection != null && command.take()) {
				failed(queue, command, rejection);
			}
		});
	}

	/**
	 * Carry out the effects of an event, and send the command in the background, but only
	 * after the earlier commands of this kind for the key have been answered.
	 */
	void runAsyncInOrder(QueueEvents queue, Effects effects) {
		run(effects,
				(command) -> this.tasks.executeInOrder(queue.key(), () -> sendIfFirst(queue, command), (rejection) -> {
					if (command.take()) {
						failed(queue, command, rejection);
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
		Runnable task = () -> timerFired(queue);
		try {
			this.tasks.schedule(task, delayNanos);
			return null;
		}
		catch (LockBackendException ex) {
			this.tasks.scheduleWithNextEvent(task, delayNanos);
			return ex;
		}
	}

	private void timerFired(QueueEvents queue) {
		try {
			runAsync(queue, queue.timerFired());
		}
		catch (Throwable ex) {
			this.tasks.scheduleReliably(() -> runAsync(queue, queue.retryAll()), RECOVERY_NANOS);
			logger.error("The timer of lock '" + queue.key() + "' failed and is scheduled again", ex);
		}
	}

	private void wake(Effects effects) {
		this.tasks.scheduleRejected();
		effects.woken().forEach(this::wake);
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
			this.tasks.scheduleReliably(() -> wake(waiter), RECOVERY_NANOS);
			logger.error("A caller that waits for lock '" + waiter.request().key() + "' could not be woken", ex);
		}
	}

	/** Send on a thread of the executor, which no caller waits for. */
	private void sendIfFirst(QueueEvents queue, Command command) {
		if (command.take()) {
			try {
				send(queue, command);
			}
			catch (Throwable ex) {
				// First, without a call: logging may fail, too.
				command.outcomeLost = true;
				logger.error("A command for lock '" + queue.key() + "' failed", ex);
			}
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
					this.store.attempt(attempt.ticket(), attempt.lease(), attempt.queue()));
		}
		catch (Throwable ex) {
			failed(queue, attempt, ex);
			rethrowError(ex);
			return;
		}
		runAsync(queue, effects);
	}

	private ReleaseOutcome release(QueueEvents queue, Command.Release release) {
		PendingRelease pending = release.pending();
		ReleaseResult result = null;
		Effects effects;
		try {
			if (pending.releasesLock) {
				result = this.store.release(pending.ticket, pending.lastToken, release.next());
			}
			else {
				this.store.cancel(pending.ticket);
			}
			effects = queue.releaseAnswered(pending, result);
		}
		catch (Throwable ex) {
			failed(queue, release, ex);
			rethrowError(ex);
			return ReleaseOutcome.UNANSWERED;
		}
		if (release.downgrade() != null && result != null) {
			downgradeAnswered(release.downgrade(), result);
		}
		runAsync(queue, effects);
		// A caller gets the first answer only. In a later answer GONE may be the effect
		// of an earlier release.
		return (result != null && !result.released()) ? ReleaseOutcome.GONE : ReleaseOutcome.RELEASED;
	}

	private void downgradeAnswered(PendingDowngrade downgrade, ReleaseResult result) {
		try {
			runAsync(downgrade.queue(), downgrade.answered(result));
		}
		catch (Throwable ex) {
			recoverLater(downgrade.queue(), downgrade.attempt());
			log("The answer for lock '" + downgrade.queue().key() + "' could not be handled", ex);
		}
	}

	private void downgradeUnanswered(PendingDowngrade downgrade, LockBackendException cause) {
		try {
			runAsync(downgrade.queue(), downgrade.unanswered(cause));
		}
		catch (Throwable ex) {
			recoverLater(downgrade.queue(), downgrade.attempt());
			log("The failure for lock '" + downgrade.queue().key() + "' could not be handled", ex);
		}
	}

	/**
	 * A command failed, or could not be sent. Throws nothing, unless the end of the stack
	 * is near.
	 */
	private void failed(QueueEvents queue, Command command, Throwable failure) {
		try {
			LockBackendException cause = asBackendException(failure);
			if (command instanceof Command.Attempt attempt) {
				runAsync(queue, queue.attemptFailed(attempt, cause));
				return;
			}
			Command.Release release = (Command.Release) command;
			Effects effects = queue.releaseFailed(release.pending(), cause);
			try {
				if (release.downgrade() != null) {
					downgradeUnanswered(release.downgrade(), cause);
				}
			}
			finally {
				runAsync(queue, effects);
			}
		}
		catch (Throwable ex) {
			recoverLater(queue, command);
			log("A failure for lock '" + queue.key() + "' could not be handled and is handled again", ex);
		}
	}

	/**
	 * An error interrupted an event, at an unknown step: settle its command later, on
	 * another thread, and let the queue attempt again.
	 */
	private void recoverLater(QueueEvents queue, Command command) {
		this.tasks.scheduleReliably(() -> {
			try {
				if (command instanceof Command.Release release && release.downgrade() != null) {
					PendingDowngrade downgrade = release.downgrade();
					runAsync(downgrade.queue(), downgrade.queue().recover(downgrade.attempt()));
				}
				runAsync(queue, queue.recover(command));
			}
			catch (Throwable ex) {
				recoverLater(queue, command);
				log("Lock '" + queue.key() + "' could not be settled after an error", ex);
			}
		}, RECOVERY_NANOS);
	}

	/** Logging may fail for the same reason as what is logged. */
	private static void log(String message, Throwable failure) {
		try {
			logger.error(message, failure);
		}
		catch (Throwable ex) {
			// Everything that is necessary has been done before.
		}
	}

	private static void rethrowError(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
	}

	private static LockBackendException asBackendException(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof LockBackendException backendException) ? backendException
				: new LockBackendException("The lock store failed in an unexpected way: " + cause, cause);
	}

}
