package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Does what entries want done: wakes callers, sends commands, and tells the entries the
 * answers. Whatever follows from an answer is sent by the executor, so that a caller
 * sends one command at most.
 */
final class Dispatcher {

	private static final Log logger = LogFactory.getLog(Dispatcher.class);

	private final LockBackend backend;

	private final Duration strayDelay;

	private final Executor executor;

	private final Executor callbacks;

	private final ScheduledExecutorService timers;

	/** The last command of each key that is to be sent in order, until it is answered. */
	private final ConcurrentMap<String, CompletableFuture<?>> lastInOrder = new ConcurrentHashMap<>();

	Dispatcher(LockBackend backend, Executor executor, Executor callbacks, ScheduledExecutorService timers) {
		this.backend = backend;
		this.strayDelay = backend.description().strayDelay();
		this.executor = executor;
		this.callbacks = callbacks;
		this.timers = timers;
	}

	Executor callbacks() {
		return this.callbacks;
	}

	/** Do what follows from an event, the command in the background. */
	void follow(KeyEntry entry, Steps steps) {
		wake(steps);
		Command command = steps.command();
		if (command != null) {
			execute(() -> send(entry, command));
		}
	}

	/**
	 * Do what follows from an event, the command in the background, but not before those
	 * that were given here before for the same key have been answered.
	 */
	void followInOrder(KeyEntry entry, Steps steps) {
		wake(steps);
		Command command = steps.command();
		if (command == null) {
			return;
		}
		try {
			CompletableFuture<?> turn = this.lastInOrder.compute(entry.key(),
					(key, last) -> (last != null)
							? last.handleAsync((done, failure) -> send(entry, command), this.executor)
							: CompletableFuture.supplyAsync(() -> send(entry, command), this.executor));
			turn.whenComplete((done, failure) -> this.lastInOrder.remove(entry.key(), turn));
		}
		catch (RejectedExecutionException ex) {
			logger.debug("A lock command was not sent, since the registry has been shut down", ex);
		}
	}

	/**
	 * Do what follows from an event, the command on this thread.
	 * @return how it went, if it was a release; otherwise that it is pending
	 */
	Departure followHere(KeyEntry entry, Steps steps) {
		wake(steps);
		Command command = steps.command();
		return (command != null) ? send(entry, command) : Departure.PENDING;
	}

	/** Release a ticket that no entry knows. */
	void bounce(Ticket ticket, long token) {
		execute(() -> quietly(() -> this.backend.release(ticket, token, null)));
	}

	/**
	 * Run a task that does not block after a delay.
	 * @return its timer, or {@code null} if the registry has been shut down
	 */
	@Nullable Future<?> later(Runnable task, long delayNanos) {
		try {
			return this.timers.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("A lock timer was not set, since the registry has been shut down", ex);
			return null;
		}
	}

	private void wake(Steps steps) {
		steps.woken().forEach(Waiter::wake);
		Ticket stray = steps.stray();
		if (stray != null) {
			later(() -> execute(() -> quietly(() -> this.backend.cancel(stray))), this.strayDelay.toNanos());
		}
	}

	private Departure send(KeyEntry entry, Command command) {
		if (command instanceof Command.Attempt attempt) {
			attempt(entry, attempt);
			return Departure.PENDING;
		}
		return leave(entry, (Command.Leave) command);
	}

	private void attempt(KeyEntry entry, Command.Attempt attempt) {
		Steps steps;
		try {
			steps = entry.attempted(attempt, this.backend.attempt(attempt.ticket(), attempt.lease(), attempt.queue()));
		}
		catch (RuntimeException ex) {
			steps = entry.attemptFailed(attempt, asBackendException(ex));
		}
		follow(entry, steps);
	}

	private Departure leave(KeyEntry entry, Command.Leave leave) {
		Exit exit = leave.exit();
		Heir heir = leave.heir();
		Departure departure = Departure.RELEASED;
		Steps steps;
		try {
			if (exit.release) {
				ReleaseResult result = this.backend.release(exit.ticket, exit.lastToken, leave.next());
				// A caller hears of the first answer only. Gone, in a later one, may be
				// what an earlier one did.
				if (!result.released()) {
					departure = Departure.GONE;
				}
				steps = entry.left(exit, result);
				if (heir != null) {
					follow(heir.entry(), heir.answered(result));
				}
			}
			else {
				this.backend.cancel(exit.ticket);
				steps = entry.left(exit, null);
			}
		}
		catch (RuntimeException ex) {
			departure = Departure.UNANSWERED;
			steps = entry.leaveFailed(exit, asBackendException(ex));
			if (heir != null) {
				follow(heir.entry(), heir.unanswered(asBackendException(ex)));
			}
		}
		follow(entry, steps);
		return departure;
	}

	private static LockBackendException asBackendException(RuntimeException ex) {
		return (ex instanceof LockBackendException known) ? known
				: new LockBackendException("The lock store failed in an unexpected way: " + ex, ex);
	}

	private void quietly(Runnable command) {
		try {
			command.run();
		}
		catch (RuntimeException ex) {
			logger.debug("A ticket that nobody wants could not be released: it ends with its lease", ex);
		}
	}

	private void execute(Runnable task) {
		try {
			this.executor.execute(task);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("A lock command was not sent, since the registry has been shut down", ex);
		}
	}

}
