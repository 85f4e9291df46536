package io.github.distlock.waiting;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.KeyQueueContext.KeySettings;
import io.github.distlock.waiting.KeySnapshot.UnfinishedWork;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases locks, and lets callers wait for them. This is the entry point of
 * the package. There is one queue for each key that callers wait for or hold, and one for
 * each caller with its own ticket. A thread that needs the outcome of a command sends it
 * and waits. Other commands are sent by the thread that has the event or, if the store
 * blocks, by the executor. Thread-safe.
 */
public final class LockAcquirer {

	private final KeyQueues queues;

	private final TimeSource clock;

	private final CommandSender sender;

	private final BlockingAcquirer blocking;

	private final LockReleaser releases;

	private final long cancelTimeoutNanos;

	private volatile boolean closed;

	/**
	 * Create an acquirer.
	 * @param store the store
	 * @param description what the store is and can do
	 * @param instance the name of this JVM in each ticket
	 * @param backendTimeout how long the store may fail to answer before waiting ends
	 * @param handOffLimits how long a lock may stay in this JVM
	 * @param environment the clocks, and more of the machine
	 * @param executor sends commands that no caller sends, if the store blocks
	 * @param callbacks completes the futures of asynchronous callers
	 * @param timers only passes work to the executor
	 */
	public LockAcquirer(LockStore store, BackendDescription description, String instance, Duration backendTimeout,
			HandOffLimits handOffLimits, EngineEnvironment environment, Executor executor, Executor callbacks,
			ScheduledExecutorService timers) {
		this.clock = environment.clock();
		this.sender = new CommandSender(store, description.strayDelay(), environment, executor, callbacks, timers);
		Duration cancelTimeout = cancelTimeout(description, backendTimeout);
		this.queues = new KeyQueues(instance, new KeySettings(this.clock, environment.random(), handOffLimits,
				backendTimeout, cancelTimeout, new WaiterCounts()), environment, this.sender);
		this.releases = new LockReleaser(this.queues, this.sender, this.clock);
		this.cancelTimeoutNanos = cancelTimeout.toNanos();
		this.blocking = new BlockingAcquirer(this, environment);
		this.sender.tasks().sweep(this.queues::sweep);
	}

	/**
	 * How long a caller that gives up waits until its ticket has left the store: one
	 * command time-out. A store without one reports its failures itself.
	 */
	private static Duration cancelTimeout(BackendDescription description, Duration backendTimeout) {
		Duration timeout = description.strayDelay();
		return (timeout.isZero() || timeout.compareTo(backendTimeout) > 0) ? backendTimeout : timeout;
	}

	/**
	 * Acquire a lock. Blocks the calling thread until the lock is acquired or the wait
	 * ends.
	 * @param request the request
	 * @param interruptible whether an interrupt ends the wait; otherwise the interrupt
	 * status is restored on return
	 * @return the holder, or {@code null} if the wait time has passed
	 * @throws InterruptedException if the thread was interrupted
	 * @throws LockBackendException if the store fails
	 */
	public @Nullable Holder acquire(WaitRequest request, boolean interruptible) throws InterruptedException {
		return this.blocking.acquire(request, interruptible);
	}

	/**
	 * Acquire a lock without blocking.
	 * @param request the request
	 * @return completes on a callback thread: with the holder, with {@code null} if the
	 * wait time has passed, or with {@link LockBackendException}. Cancel it to give up.
	 */
	public CompletableFuture<@Nullable Holder> acquireAsync(WaitRequest request) {
		return new AsyncAcquisition(this, this.sender.tasks(), this.clock, request).start();
	}

	/**
	 * Return what lets holders leave.
	 * @return the releases
	 */
	public LockReleaser releases() {
		return this.releases;
	}

	// Waits

	/**
	 * Add a waiter to the queue of its key.
	 * @param settled runs after the command that the executor sends for the waiter has
	 * been answered or has failed, at once if there is none; {@code null} if this thread
	 * sends the command
	 */
	KeyQueue join(Waiter waiter, @Nullable Runnable settled) {
		String key = waiter.request().key();
		while (true) {
			if (this.closed) {
				throw shutDownException(key);
			}
			KeyQueue queue = this.queues.obtain(waiter.request());
			Effects effects = queue.join(waiter);
			if (effects != null) {
				try {
					if (this.closed) {
						// close() may have failed the waiters before this one joined.
						this.sender.run(queue, queue.failWaiters(shutDownException(key)));
					}
					if (settled != null) {
						this.sender.run(queue, effects, waiter.request().fair(), settled);
					}
					else {
						this.sender.runForWaiter(queue, effects);
					}
				}
				catch (RuntimeException | Error ex) {
					abandonWait(queue, waiter);
					throw ex;
				}
				return queue;
			}
		}
	}

	/** How long a caller that gives up waits until its ticket has left the store. */
	long cancelTimeoutNanos() {
		return this.cancelTimeoutNanos;
	}

	/**
	 * End a wait.
	 * @param here whether this is the caller's thread, which cancels its ticket itself:
	 * it returns when the store has answered, or after one command time-out
	 * @return whether the outcome was not decided before
	 */
	boolean giveUp(KeyQueue queue, Waiter waiter, boolean timedOut, boolean here) {
		Effects effects = queue.giveUp(waiter, timedOut);
		if (effects == null) {
			return false;
		}
		if (here && waiter.isDeparting() && effects.command() instanceof Command.Release) {
			this.sender.runHere(queue, effects);
		}
		else {
			this.sender.run(queue, effects);
		}
		return true;
	}

	/**
	 * Return the holder of a wait that has ended, on its way to the caller.
	 * @return the holder; {@code null} if the wait has ended without the lock, or if the
	 * grant has expired since, because this process was paused
	 * @throws LockBackendException if the store has failed
	 */
	@Nullable Holder holderOf(WaitRequest request, @Nullable Outcome outcome) {
		if (outcome instanceof Outcome.Failure failure) {
			throw failure.forCaller();
		}
		if (outcome instanceof Outcome.Refused refused) {
			request.listener().notAcquired(refused.reason(), refused.holder());
		}
		if (!(outcome instanceof Outcome.Success success)) {
			return null;
		}
		if (!success.holder().hasPassed(this.clock)) {
			return success.holder();
		}
		this.releases.releaseAsync(success.holder());
		return null;
	}

	/** What was thrown has ended a wait: the caller gets that, and not the lock. */
	void abandonWait(KeyQueue queue, Waiter waiter) {
		this.sender.tasks().onEvent(queue.isFree(), () -> {
			giveUp(queue, waiter, false, false);
			if (waiter.outcome() instanceof Outcome.Success success) {
				this.releases.releaseAsync(success.holder());
			}
		});
	}

	private static LockBackendException shutDownException(String key) {
		return new LockBackendException(
				"Lock '" + key + "' cannot be acquired: the lock registry is shutting down, or has not been started");
	}

	// Messages of the store

	/**
	 * Handle the message that a ticket was granted. Does not block.
	 * @param ticket the ticket
	 * @param grant the grant
	 */
	public void granted(Ticket ticket, Grant grant) {
		KeyQueue queue = this.queues.find(ticket);
		this.sender.tasks().onEvent(queue == null || queue.isFree(), () -> {
			Effects effects = (queue != null) ? queue.granted(ticket, grant) : null;
			if (queue != null && effects != null) {
				this.sender.run(queue, effects);
			}
			else {
				// No caller wants it: a late copy of an attempt, or a waiter that has
				// left.
				this.sender.releaseUnknown(ticket, grant.firstToken());
			}
		});
	}

	/**
	 * Attempt again, since another attempt may succeed now. Does not block.
	 * @param ticket the ticket to attempt
	 */
	public void retry(Ticket ticket) {
		this.queues.onEvent(ticket, (queue) -> queue.retry(ticket));
	}

	/**
	 * Attempt again with all tickets that wait: signals may have been lost. Does not
	 * block.
	 */
	public void retryAll() {
		this.queues.retryAll();
	}

	/**
	 * Run code of the application on a callback thread, after a shutdown on a new thread.
	 * @param callback the code
	 */
	public void callBack(Runnable callback) {
		this.sender.tasks().callBack(callback);
	}

	/**
	 * Run a task that may block. It does not run if no thread can be had.
	 * @param task the task
	 */
	public void execute(Runnable task) {
		this.sender.tasks().execute(task);
	}

	/** Reject all later requests, and fail all waiting callers. */
	public void close() {
		this.closed = true;
		this.queues.forEach((queue) -> queue.failWaiters(shutDownException(queue.key())));
	}

	/**
	 * Return the keys that callers hold or wait for, and those with commands that are not
	 * finished. Each key is read on its own, so the whole is not one moment. Empty if
	 * nothing is left to do.
	 * @return the keys in use, in no particular order
	 */
	public List<KeySnapshot> snapshot() {
		return this.queues.snapshot();
	}

	/**
	 * Return the work that is not finished, except that of some tickets.
	 * @param tickets tickets that hold a lock without a caller
	 * @return the work that a shutdown would have to wait for
	 */
	public UnfinishedWork unfinishedWorkExcept(Collection<Ticket> tickets) {
		return this.queues.unfinishedWorkExcept(tickets);
	}

}
