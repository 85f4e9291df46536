package io.github.distlock.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Does what entries ask for: wakes callers, sends commands, and hands the answers to the
 * entries. Whatever follows from an answer is sent by the executor, so that a caller
 * sends one command at most.
 * <p>
 * A command that an entry asked for is always settled: answered, failed, or dropped with
 * the whole registry. Whatever is thrown while it is sent, or while a thread is found for
 * it, is a failure of that command, since the entry sends nothing else before. An
 * {@link Error} is thrown again on a caller's thread, after everything has been done that
 * follows from it. The {@code follow} methods throw nothing but errors that come while
 * another one is handled, a second {@link StackOverflowError} for example. A command
 * which that loses is marked by a plain write, and the next event of its key settles it.
 */
final class CommandSender {

	private static final Log logger = LogFactory.getLog(CommandSender.class);

	private static final long RESCUE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockBackend backend;

	private final Executor executor;

	private final Executor callbacks;

	private final Tasks tasks;

	private final StrayTickets strays;

	/** The last command of each key that is to be sent in order, until it is answered. */
	private final ConcurrentMap<String, CompletableFuture<?>> lastInOrder = new ConcurrentHashMap<>();

	CommandSender(LockBackend backend, Executor executor, Executor callbacks, ScheduledExecutorService timers) {
		this.backend = backend;
		this.executor = executor;
		this.callbacks = callbacks;
		this.tasks = new Tasks(executor, timers);
		this.strays = new StrayTickets(backend, this.tasks);
	}

	Executor callbacks() {
		return this.callbacks;
	}

	Tasks tasks() {
		return this.tasks;
	}

	/** Do what follows from an event, the command in the background. */
	void follow(CommandTarget entry, Effects steps) {
		follow(steps, (command) -> sendInBackground(entry, command));
	}

	private void follow(Effects steps, Consumer<Command> sender) {
		Command command = steps.command();
		try {
			try {
				wake(steps);
			}
			finally {
				if (command != null) {
					sender.accept(command);
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

	private void sendInBackground(CommandTarget entry, Command command) {
		Throwable refusal = this.tasks.execute(() -> sendIfFirst(entry, command));
		if (refusal != null && command.take()) {
			failed(entry, command, refusal);
		}
	}

	/**
	 * Do what follows from an event, the command in the background, but not before those
	 * that were given here before for the same key have been answered.
	 */
	void followInOrder(CommandTarget entry, Effects steps) {
		follow(steps, (command) -> sendInOrder(entry, command));
	}

	private void sendInOrder(CommandTarget entry, Command command) {
		Runnable task = () -> sendIfFirst(entry, command);
		try {
			CompletableFuture<?> turn = this.lastInOrder.compute(entry.key(),
					(key, last) -> (last != null) ? last.handleAsync((done, failure) -> {
						task.run();
						return null;
					}, this.executor) : CompletableFuture.runAsync(task, this.executor));
			turn.whenComplete((done, failure) -> {
				this.lastInOrder.remove(entry.key(), turn);
				if (failure != null) {
					refused(entry, command, failure);
				}
			});
		}
		catch (Throwable ex) {
			refused(entry, command, ex);
		}
	}

	private void refused(CommandTarget entry, Command command, Throwable refusal) {
		if (this.tasks.isShutDown()) {
			logger.debug("A lock command was not sent, since the registry has been shut down", refusal);
		}
		else if (command.take()) {
			failed(entry, command, refusal);
		}
	}

	/**
	 * Do what follows from an event, the command on this thread.
	 * @return how it went, if it was a release; otherwise that it is pending
	 */
	ReleaseOutcome followHere(CommandTarget entry, Effects steps) {
		Command command = steps.command();
		ReleaseOutcome departure = ReleaseOutcome.PENDING;
		try {
			try {
				wake(steps);
			}
			finally {
				if (command != null) {
					departure = send(entry, command);
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

	/** Release a ticket that no entry knows. */
	void bounce(Ticket ticket, long token) {
		this.strays.release(ticket, token);
	}

	/**
	 * Ring an entry after a delay.
	 * @return why no timer could be set, or {@code null}. Then the entry is rung after
	 * the next event of any key at the latest.
	 */
	@Nullable LockBackendException ringLater(CommandTarget entry, long delayNanos) {
		Runnable ring = () -> ring(entry);
		try {
			this.tasks.later(ring, delayNanos);
			return null;
		}
		catch (LockBackendException ex) {
			this.tasks.postpone(ring, delayNanos);
			return ex;
		}
	}

	private void ring(CommandTarget entry) {
		try {
			follow(entry, entry.ring());
		}
		catch (Throwable ex) {
			this.tasks.laterSurely(() -> follow(entry, entry.rouse()), RESCUE_NANOS);
			logger.error("The timer of lock '" + entry.key() + "' failed and is set again", ex);
		}
	}

	private void wake(Effects steps) {
		this.tasks.retryRefused();
		steps.woken().forEach(this::wake);
		Ticket stray = steps.stray();
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

	private void sendIfFirst(CommandTarget entry, Command command) {
		if (command.take()) {
			sendHere(entry, command);
		}
	}

	/** Send on a thread of the executor, which no caller waits for. */
	private void sendHere(CommandTarget entry, Command command) {
		try {
			send(entry, command);
		}
		catch (Throwable ex) {
			// First, without a call: the log may fail, too.
			command.dropped = true;
			logger.error("A command for lock '" + entry.key() + "' failed", ex);
		}
	}

	private ReleaseOutcome send(CommandTarget entry, Command command) {
		if (command instanceof Command.Attempt attempt) {
			attempt(entry, attempt);
			return ReleaseOutcome.PENDING;
		}
		return leave(entry, (Command.Leave) command);
	}

	private void attempt(CommandTarget entry, Command.Attempt attempt) {
		Effects steps;
		try {
			steps = entry.attempted(attempt, this.backend.attempt(attempt.ticket(), attempt.lease(), attempt.queue()));
		}
		catch (Throwable ex) {
			failed(entry, attempt, ex);
			ErrorLog.rethrow(ex);
			return;
		}
		follow(entry, steps);
	}

	private ReleaseOutcome leave(CommandTarget entry, Command.Leave leave) {
		PendingRelease exit = leave.exit();
		ReleaseResult result = null;
		Effects steps;
		try {
			if (exit.release) {
				result = this.backend.release(exit.ticket, exit.lastToken, leave.next());
			}
			else {
				this.backend.cancel(exit.ticket);
			}
			steps = entry.left(exit, result);
		}
		catch (Throwable ex) {
			failed(entry, leave, ex);
			ErrorLog.rethrow(ex);
			return ReleaseOutcome.UNANSWERED;
		}
		if (leave.heir() != null && result != null) {
			answer(leave.heir(), result);
		}
		follow(entry, steps);
		// A caller gets the first answer only. Gone, in a later one, may be what an
		// earlier one did.
		return (result != null && !result.released()) ? ReleaseOutcome.GONE : ReleaseOutcome.RELEASED;
	}

	private void answer(PendingDowngrade heir, ReleaseResult result) {
		try {
			follow(heir.entry(), heir.answered(result));
		}
		catch (Throwable ex) {
			rescue(heir.entry(), heir.attempt());
			ErrorLog.log(logger, "The answer for lock '" + heir.entry().key() + "' could not be handled", ex);
		}
	}

	private void unanswered(PendingDowngrade heir, LockBackendException cause) {
		try {
			follow(heir.entry(), heir.unanswered(cause));
		}
		catch (Throwable ex) {
			rescue(heir.entry(), heir.attempt());
			ErrorLog.log(logger, "The failure for lock '" + heir.entry().key() + "' could not be handled", ex);
		}
	}

	/**
	 * A command failed, or could not be sent. Throws nothing, unless the end of the stack
	 * is near.
	 */
	private void failed(CommandTarget entry, Command command, Throwable ex) {
		try {
			LockBackendException cause = ErrorLog.asBackendException(ex);
			if (command instanceof Command.Attempt attempt) {
				follow(entry, entry.attemptFailed(attempt, cause));
				return;
			}
			Command.Leave leave = (Command.Leave) command;
			Effects steps = entry.leaveFailed(leave.exit(), cause);
			try {
				if (leave.heir() != null) {
					unanswered(leave.heir(), cause);
				}
			}
			finally {
				follow(entry, steps);
			}
		}
		catch (Throwable again) {
			rescue(entry, command);
			ErrorLog.log(logger, "A failure for lock '" + entry.key() + "' could not be handled and is handled again",
					again);
		}
	}

	/**
	 * An error cut short an event, and it is not known how far that came: settle its
	 * command later, on another thread, and let the entry ask again.
	 */
	private void rescue(CommandTarget entry, Command command) {
		this.tasks.laterSurely(() -> {
			try {
				if (command instanceof Command.Leave leave && leave.heir() != null) {
					follow(leave.heir().entry(), leave.heir().entry().rescue(leave.heir().attempt()));
				}
				follow(entry, entry.rescue(command));
			}
			catch (Throwable ex) {
				rescue(entry, command);
				ErrorLog.log(logger, "Lock '" + entry.key() + "' could not be settled after an error", ex);
			}
		}, RESCUE_NANOS);
	}

}
