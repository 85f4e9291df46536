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

	private final WaiterLifecycle waits;

	private final BlockingAcquirer blocking;

	private final LockReleaser releases;

	/**
	 * Create an acquirer.
	 * @param store the store
	 * @param instance the name of this JVM in each ticket
	 * @param backendTimeout how long the store may fail to answer before waiting ends
	 * @param handOffLimits how long a lock may stay in this JVM
	 * @param environment the clocks, and more of the machine
	 * @param executor sends commands that no caller sends, if the store blocks
	 * @param callbacks completes the futures of asynchronous callers
	 * @param timers only passes work to the executor
	 */
	public LockAcquirer(LockStore store, String instance, Duration backendTimeout, HandOffLimits handOffLimits,
			EngineEnvironment environment, Executor executor, Executor callbacks, ScheduledExecutorService timers) {
		this.clock = environment.clock();
		this.sender = new CommandSender(store, environment, executor, callbacks, timers);
		Duration cancelTimeout = cancelTimeout(store.description(), backendTimeout);
		this.queues = new KeyQueues(instance, backendTimeout, cancelTimeout, handOffLimits, environment, this.sender);
		this.releases = new LockReleaser(store, this.queues, this.sender, this.clock);
		this.waits = new WaiterLifecycle(this.queues, this.sender, this.releases, cancelTimeout.toNanos());
		this.blocking = new BlockingAcquirer(this.waits, environment);
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
		return new AsyncAcquisition(this.waits, this.sender, this.clock, request).start();
	}

	/**
	 * Return what lets holders leave.
	 * @return the releases
	 */
	public LockReleaser releases() {
		return this.releases;
	}

	/**
	 * Handle the message that a ticket was granted. Does not block.
	 * @param ticket the ticket
	 * @param grant the grant
	 */
	public void granted(Ticket ticket, Grant grant) {
		KeyQueue queue = this.queues.find(ticket);
		Effects effects = (queue != null) ? queue.granted(ticket, grant) : null;
		if (queue != null && effects != null) {
			this.sender.run(queue, effects);
		}
		else {
			// No caller wants it: a late copy of an attempt, or a waiter that has left.
			this.sender.releaseUnknown(ticket, grant.firstToken());
		}
	}

	/**
	 * Attempt again, since another attempt may succeed now. Does not block.
	 * @param ticket the ticket to attempt
	 */
	public void retry(Ticket ticket) {
		KeyQueue queue = this.queues.find(ticket);
		if (queue != null) {
			this.sender.run(queue, queue.retry(ticket));
		}
	}

	/**
	 * Attempt again with all tickets that wait: signals may have been lost. Does not
	 * block.
	 */
	public void retryAll() {
		this.releases.requestsMayBeLost();
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

	/** Run the callbacks that are left: the callback threads have been shut down. */
	public void callBackLast() {
		this.sender.tasks().repeatCallbacks();
	}

	/** Reject all later requests, fail all waiting callers, and give kept locks back. */
	public void close() {
		this.waits.close();
		this.releases.close();
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
