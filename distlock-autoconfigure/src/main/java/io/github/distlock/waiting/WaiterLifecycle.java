package io.github.distlock.waiting;

import io.github.distlock.LockBackendException;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Begins and ends the waits of callers: a waiter joins the queue of its key, and leaves
 * it if the caller gives up. Thread-safe.
 */
final class WaiterLifecycle {

	private final KeyQueues queues;

	private final CommandSender sender;

	private final LockReleaser releases;

	private final long cancelTimeoutNanos;

	private volatile boolean closed;

	/**
	 * Create the waits of a registry.
	 * @param cancelTimeoutNanos how long a caller that gives up waits until its ticket
	 * has left the store
	 */
	WaiterLifecycle(KeyQueues queues, CommandSender sender, LockReleaser releases, long cancelTimeoutNanos) {
		this.queues = queues;
		this.sender = sender;
		this.releases = releases;
		this.cancelTimeoutNanos = cancelTimeoutNanos;
	}

	/**
	 * Add a waiter to the queue of its key.
	 * @param settled runs after the command that the executor sends for the waiter has
	 * been answered or has failed, at once if there is none; {@code null} if this thread
	 * sends the command
	 */
	void join(Waiter waiter, @Nullable Runnable settled) {
		String key = waiter.request().key();
		while (true) {
			if (this.closed) {
				throw shutDownException(key);
			}
			KeyQueue queue = this.queues.obtain(waiter.request());
			waiter.queue = queue;
			Effects effects = queue.join(waiter);
			if (effects != null) {
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
				return;
			}
		}
	}

	/** How long a caller that gives up waits until its ticket has left the store. */
	long cancelTimeoutNanos() {
		return this.cancelTimeoutNanos;
	}

	/**
	 * End a wait.
	 * @return whether the outcome was not decided before
	 */
	boolean giveUp(Waiter waiter, boolean timedOut) {
		return giveUp(waiter, timedOut, false);
	}

	/**
	 * End a wait on the caller's thread, which cancels its ticket itself: it returns when
	 * the store has answered, or after one command time-out.
	 * @return whether the outcome was not decided before
	 */
	boolean giveUpHere(Waiter waiter, boolean timedOut) {
		return giveUp(waiter, timedOut, true);
	}

	private boolean giveUp(Waiter waiter, boolean timedOut, boolean here) {
		KeyQueue queue = waiter.queue;
		Effects effects = (queue != null) ? queue.giveUp(waiter, timedOut) : null;
		if (queue == null || effects == null) {
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

	/** What was thrown has ended a wait: the caller gets that, and not the lock. */
	void abandonWait(Waiter waiter) {
		giveUp(waiter, false);
		if (waiter.outcome() instanceof Outcome.Success success) {
			release(success.holder());
		}
	}

	/** Release a lock in the background, since its caller does not want it. */
	void release(Holder holder) {
		this.releases.releaseAsync(holder);
	}

	/** Reject all later waiters, and fail those that wait. */
	void close() {
		this.closed = true;
		this.queues.forEach((queue) -> this.sender.run(queue, queue.failWaiters(shutDownException(queue.key()))));
	}

	private static LockBackendException shutDownException(String key) {
		return new LockBackendException(
				"Lock '" + key + "' cannot be acquired: the lock registry is shutting down, or has not been started");
	}

}
