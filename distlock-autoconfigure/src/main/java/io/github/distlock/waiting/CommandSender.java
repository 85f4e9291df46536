package io.github.distlock.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Does what queues ask for: wakes callers, sends commands, and hands the answers to the
 * queues. Whatever follows from an answer is sent by the executor, so that a caller sends
 * one command at most.
 * <p>
 * A command that a queue asked for is always settled: answered, failed, or dropped with
 * the whole registry. Whatever is thrown while it is sent, or while a thread is found for
 * it, is a failure of that command, since the queue sends nothing else before. An
 * {@link Error} is thrown again on a caller's thread, after everything has been done that
 * follows from it. The {@code follow} methods throw nothing but errors that come while
 * another one is handled, a second {@link StackOverflowError} for example. A command
 * which that loses is marked by a plain write, and the next event of its key settles it.
 */
final class CommandSender {

	private static final Log logger = LogFactory.getLog(CommandSender.class);

	private static final long RESCUE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockStore store;

	private final Executor executor;

	private final Executor callbacks;

	private final Tasks tasks;

	private final StrayTickets strays;

	/** The last command of each key that is to be sent in order, until it is answered. */
	private final ConcurrentMap<String, CompletableFuture<?>> lastInOrder = new ConcurrentHashMap<>();

	CommandSender(LockStore store, Executor executor, Executor callbacks, ScheduledExecutorService timers) {
		this.store = store;
		this.executor = executor;
		this.callbacks = callbacks;
		this.tasks = new Tasks(executor, timers);
		this.strays = new StrayTickets(store, this.tasks);
	}

	Executor callbacks() {
		return this.callbacks;
	}

	Tasks tasks() {
		return this.tasks;
	}

	/** Do what follows from an event, the command in the background. */
	void runAsync(CommandTarget queue, Effects effects) {
		run(effects, (command) -> sendInBackground(queue, command));
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
				command.strayed = true;
			}
			throw ex;
		}
	}

	private void sendInBackground(CommandTarget queue, Command command) {
		Throwable refusal = this.tasks.execute(() -> sendIfFirst(queue, command));
		if (refusal != null && command.take()) {
			failed(queue, command, refusal);
		}
	}

	/**
	 * Do what follows from an event, the command in the background, but not before those
	 * that were given here before for the same key have been answered.
	 */
	void runAsyncInOrder(CommandTarget queue, Effects effects) {
		run(effects, (command) -> sendInOrder(queue, command));
	}

	private void sendInOrder(CommandTarget queue, Command command) {
		Runnable task = () -> sendIfFirst(queue, command);
		try {
			CompletableFuture<?> turn = this.lastInOrder.compute(queue.key(),
					(key, last) -> (last != null) ? last.handleAsync((done, failure) -> {
						task.run();
						return null;
					}, this.executor) : CompletableFuture.runAsync(task, this.executor));
			turn.whenComplete((done, failure) -> {
				this.lastInOrder.remove(queue.key(), turn);
				if (failure != null) {
					refused(queue, command, failure);
				}
			});
		}
		catch (Throwable ex) {
			refused(queue, command, ex);
		}
	}

	private void refused(CommandTarget queue, Command command, Throwable refusal) {
		if (this.tasks.isShutDown()) {
			logger.debug("A lock command was not sent, since the registry has been shut down", refusal);
		}
		else if (command.take()) {
			failed(queue, command, refusal);
		}
	}

	/**
	 * Do what follows from an event, the command on this thread.
	 * @return how it went, if it was a release; otherwise that it is pending
	 */
	ReleaseOutcome runHere(CommandTarget queue, Effects effects) {
		Command command = effects.command();
		ReleaseOutcome departure = ReleaseOutcome.PENDING;
		try {
			try {
				wake(effects);
			}
			finally {
				if (command != null) {
					departure = send(queue, command);
				}
			}
		}
		catch (Throwable ex) {
			if (command != null) {
				command.dropped = true;
			}
			throw ex;
		}
		return departure;
	}

	/** Release a ticket that no queue knows. */
	void releaseUnknown(Ticket ticket, long token) {
		this.strays.release(ticket, token);
	}

	/**
	 * Ring a queue after a delay.
	 * @return why no timer could be set, or {@code null}. Then the queue is rung after
	 * the next event of any key at the latest.
	 */
	@Nullable LockBackendException scheduleTimer(CommandTarget queue, long delayNanos) {
		Runnable ring = () -> timerFired(queue);
		try {
			this.tasks.later(ring, delayNanos);
			return null;
		}
		catch (LockBackendException ex) {
			this.tasks.postpone(ring, delayNanos);
			return ex;
		}
	}

	private void timerFired(CommandTarget queue) {
		try {
			runAsync(queue, queue.timerFired());
		}
		catch (Throwable ex) {
			this.tasks.laterSurely(() -> runAsync(queue, queue.retryAll()), RESCUE_NANOS);
			logger.error("The timer of lock '" + queue.key() + "' failed and is set again", ex);
		}
	}

	private void wake(Effects effects) {
		this.tasks.retryRefused();
		effects.woken().forEach(this::wake);
		Ticket stray = effects.stray();
		if (stray != null) {
			this.strays.cancelLater(stray);
		}
	}

	private void wake(Waiter waiter) {
		try {
			waiter.wake();
		}
		catch (Throwable ex) {
			this.tasks.laterSurely(() -> wake(waiter), RESCUE_NANOS);
			logger.error("A caller that waits for lock '" + waiter.request().key() + "' could not be woken", ex);
		}
	}

	private void sendIfFirst(CommandTarget queue, Command command) {
		if (command.take()) {
			sendHere(queue, command);
		}
	}

	/** Send on a thread of the executor, which no caller waits for. */
	private void sendHere(CommandTarget queue, Command command) {
		try {
			send(queue, command);
		}
		catch (Throwable ex) {
			// First, without a call: the log may fail, too.
			command.dropped = true;
			logger.error("A command for lock '" + queue.key() + "' failed", ex);
		}
	}

	private ReleaseOutcome send(CommandTarget queue, Command command) {
		if (command instanceof Command.Attempt attempt) {
			attempt(queue, attempt);
			return ReleaseOutcome.PENDING;
		}
		return leave(queue, (Command.Release) command);
	}

	private void attempt(CommandTarget queue, Command.Attempt attempt) {
		Effects effects;
		try {
			effects = queue.attemptAnswered(attempt,
					this.store.attempt(attempt.ticket(), attempt.lease(), attempt.queue()));
		}
		catch (Throwable ex) {
			failed(queue, attempt, ex);
			ErrorLog.rethrow(ex);
			return;
		}
		runAsync(queue, effects);
	}

	private ReleaseOutcome leave(CommandTarget queue, Command.Release release) {
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
			ErrorLog.rethrow(ex);
			return ReleaseOutcome.UNANSWERED;
		}
		if (release.downgrade() != null && result != null) {
			downgradeAnswered(release.downgrade(), result);
		}
		runAsync(queue, effects);
		// A caller gets the first answer only. Gone, in a later one, may be what an
		// earlier one did.
		return (result != null && !result.released()) ? ReleaseOutcome.GONE : ReleaseOutcome.RELEASED;
	}

	private void downgradeAnswered(PendingDowngrade downgrade, ReleaseResult result) {
		try {
			runAsync(downgrade.queue(), downgrade.answered(result));
		}
		catch (Throwable ex) {
			recoverLater(downgrade.queue(), downgrade.attempt());
			ErrorLog.log(logger, "The answer for lock '" + downgrade.queue().key() + "' could not be handled", ex);
		}
	}

	private void downgradeUnanswered(PendingDowngrade downgrade, LockBackendException cause) {
		try {
			runAsync(downgrade.queue(), downgrade.unanswered(cause));
		}
		catch (Throwable ex) {
			recoverLater(downgrade.queue(), downgrade.attempt());
			ErrorLog.log(logger, "The failure for lock '" + downgrade.queue().key() + "' could not be handled", ex);
		}
	}

	/**
	 * A command failed, or could not be sent. Throws nothing, unless the end of the stack
	 * is near.
	 */
	private void failed(CommandTarget queue, Command command, Throwable ex) {
		try {
			LockBackendException cause = ErrorLog.asBackendException(ex);
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
		catch (Throwable again) {
			recoverLater(queue, command);
			ErrorLog.log(logger, "A failure for lock '" + queue.key() + "' could not be handled and is handled again",
					again);
		}
	}

	/**
	 * An error cut short an event, and it is not known how far that came: settle its
	 * command later, on another thread, and let the queue ask again.
	 */
	private void recoverLater(CommandTarget queue, Command command) {
		this.tasks.laterSurely(() -> {
			try {
				if (command instanceof Command.Release release && release.downgrade() != null) {
					runAsync(release.downgrade().queue(),
							release.downgrade().queue().recover(release.downgrade().attempt()));
				}
				runAsync(queue, queue.recover(command));
			}
			catch (Throwable ex) {
				recoverLater(queue, command);
				ErrorLog.log(logger, "Lock '" + queue.key() + "' could not be settled after an error", ex);
			}
		}, RESCUE_NANOS);
	}

}
