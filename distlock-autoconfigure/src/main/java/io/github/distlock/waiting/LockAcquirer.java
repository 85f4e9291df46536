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
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Where callers wait for locks: one queue per key that anybody waits for or holds, and
 * one per caller with a ticket of his own; none otherwise. The caller that needs a
 * command sends it itself where it can; timers, messages and callers without a thread
 * have theirs sent by the executor. Thread-safe.
 */
public final class LockAcquirer {

	/** For so long at least the release of a lock that is abandoned is repeated. */
	private static final long SHORTEST_REPETITION_NANOS = Duration.ofSeconds(5).toNanos();

	private final KeyQueues queues;

	private final TimeSource clock;

	private final CommandSender sender;

	private final Duration backendTimeout;

	private final long withdrawalNanos;

	private final ThreadWaits threads;

	private volatile boolean closed;

	/**
	 * Create a room.
	 * @param store the store
	 * @param instance this JVM's part of every ticket
	 * @param backendTimeout how long the store may fail to answer before waiting ends
	 * @param handOffLimits how long a lock may stay in this JVM
	 * @param clock the time
	 * @param executor sends commands that no caller sends
	 * @param callbacks completes the futures of asynchronous callers
	 * @param timers only hands work to the executor
	 */
	public LockAcquirer(LockStore store, String instance, Duration backendTimeout, HandOffLimits handOffLimits,
			TimeSource clock, Executor executor, Executor callbacks, ScheduledExecutorService timers) {
		this.clock = clock;
		this.backendTimeout = backendTimeout;
		this.sender = new CommandSender(store, executor, callbacks, timers);
		this.queues = new KeyQueues(instance, backendTimeout, handOffLimits, clock, this.sender);
		this.withdrawalNanos = withdrawal(store.description(), backendTimeout).toNanos();
		this.threads = new ThreadWaits(this, clock, this.withdrawalNanos);
	}

	/**
	 * How long a caller that gives up waits until its ticket has left the store: one
	 * command time-out. A store which does not name one reports its failures itself.
	 */
	private static Duration withdrawal(BackendDescription store, Duration backendTimeout) {
		Duration timeout = store.strayDelay();
		return (timeout.isZero() || timeout.compareTo(backendTimeout) > 0) ? backendTimeout : timeout;
	}

	/**
	 * Wait for the lock on this thread.
	 * @param request who wants to enter
	 * @param interruptible whether an interrupt ends the wait; otherwise the flag is kept
	 * @return the holder, or {@code null} if the wait time has passed
	 * @throws InterruptedException if the thread was interrupted
	 * @throws LockBackendException if the store fails
	 */
	public @Nullable Holder acquire(WaitRequest request, boolean interruptible) throws InterruptedException {
		return this.threads.acquire(request, interruptible);
	}

	/**
	 * Wait for the lock without a thread.
	 * @param request who wants to enter
	 * @return completes on a thread for callbacks: with the holder, with {@code null} if
	 * the wait time has passed, or with {@link LockBackendException}. Cancelling gives
	 * up.
	 */
	public CompletableFuture<@Nullable Holder> acquireAsync(WaitRequest request) {
		return new AsyncAcquisition(this, this.sender, this.clock, request).begin();
	}

	/**
	 * Give the lock back, and wait for the store's answer to one command.
	 * @param holder the stay that ends
	 * @param validity until when the store's grant counts by now
	 * @param leaseEnd how long the store may hold the lease if it cannot be told
	 * @return how it went
	 */
	public ReleaseOutcome release(Holder holder, Validity validity, Duration leaseEnd) {
		LockedKeyQueue queue = this.queues.find(holder.ticket());
		if (queue == null) {
			return ReleaseOutcome.GONE;
		}
		Effects passed = queue.tryHandOff(holder, validity);
		if (passed != null) {
			this.sender.runAsync(queue, passed);
			return ReleaseOutcome.HANDED_ON;
		}
		Effects effects = queue.release(holder, this.clock.nanoTime() + leaseEnd.toNanos());
		return (effects != null) ? this.sender.runHere(queue, effects) : ReleaseOutcome.GONE;
	}

	/**
	 * Give the lock back as a writer and keep it as a reader, with nobody in between, and
	 * wait for the store's answer to one command.
	 * @param holder the writer's stay, which ends
	 * @param leaseEnd how long the writer's lease still lasts
	 * @param readerLease the reader's lease to ask the store for
	 * @return how it went
	 */
	public DowngradeResult downgrade(Holder holder, Duration leaseEnd, Duration readerLease) {
		LockedKeyQueue queue = this.queues.find(holder.ticket());
		if (queue == null) {
			return new DowngradeResult(ReleaseOutcome.GONE, null);
		}
		WaitRequest request = WaitRequest.ofReader(holder.ticket().key(), readerLease);
		long now = this.clock.nanoTime();
		// Its command may have to wait for another one, which is repeated for long.
		long wait = Math.min(leaseEnd.toNanos(), this.backendTimeout.toNanos());
		DowngradeWaiter waiter = new DowngradeWaiter(request, now, wait);
		LockedKeyQueue own = this.queues.obtain(request);
		PendingDowngrade downgrade = own.prepareDowngrade(waiter);
		Effects effects = queue.release(holder, now + leaseEnd.toNanos(), downgrade);
		if (effects == null) {
			this.sender.runAsync(own, downgrade.refused());
			return new DowngradeResult(ReleaseOutcome.GONE, null);
		}
		try {
			ReleaseOutcome departure = this.sender.runHere(queue, effects);
			return new DowngradeResult(departure, this.threads.awaitAnswer(own, waiter));
		}
		catch (RuntimeException | Error ex) {
			waiter.abandoned = true;
			withdraw(own, waiter);
			throw ex;
		}
	}

	/**
	 * Give the lock back in the background: nobody wants it.
	 * @param holder the stay that ends
	 */
	public void releaseAsync(Holder holder) {
		releaseAsync(holder, holder.leftNanos(this.clock));
	}

	/**
	 * Give the lock back in the background: it was lost, or is no longer kept.
	 * @param holder the stay that ends
	 * @param validity until when the store's grant counts by now
	 */
	public void releaseAsync(Holder holder, Validity validity) {
		releaseAsync(holder, validity.remainingNanos(this.clock));
	}

	private void releaseAsync(Holder holder, long leftNanos) {
		LockedKeyQueue queue = this.queues.find(holder.ticket());
		if (queue != null) {
			// The store's lease ends a little later than what counts of it.
			long giveUpNanos = this.clock.nanoTime() + Math.max(leftNanos, SHORTEST_REPETITION_NANOS);
			Effects effects = queue.release(holder, giveUpNanos);
			if (effects != null) {
				this.sender.runAsync(queue, effects);
			}
		}
	}

	/**
	 * A message says that a ticket was granted. Does not block.
	 * @param ticket who
	 * @param grant what
	 */
	public void granted(Ticket ticket, Grant grant) {
		LockedKeyQueue queue = this.queues.find(ticket);
		Effects effects = (queue != null) ? queue.granted(ticket, grant) : null;
		if (queue != null && effects != null) {
			this.sender.runAsync(queue, effects);
		}
		else {
			// Nobody wants it any more: a stray copy, or a waiter that has left.
			this.sender.releaseUnknown(ticket, grant.firstToken());
		}
	}

	/**
	 * Another attempt is worth its while. Does not block.
	 * @param ticket whose; {@code null} means all that wait
	 */
	public void retry(@Nullable Ticket ticket) {
		if (ticket == null) {
			this.queues.lookAgain();
			return;
		}
		LockedKeyQueue queue = this.queues.find(ticket);
		if (queue != null) {
			this.sender.runAsync(queue, queue.retry(ticket));
		}
	}

	/**
	 * Let nobody in any more; everybody who waits fails.
	 */
	public void close() {
		this.closed = true;
		this.queues.forEach((queue) -> this.sender.runAsync(queue, queue.failWaiters(shutDown(queue.key()))));
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
	 * Return whether nobody waits or holds and nothing is on its way to the store.
	 * @return whether the room is empty
	 */
	public boolean isEmpty() {
		return this.queues.isEmpty();
	}

	/**
	 * Return what is not finished, apart from some that were admitted and have left.
	 * @param left the tickets of those
	 * @return what a shutdown would have to wait for
	 */
	public UnfinishedWork unfinishedWorkExcept(Collection<Ticket> left) {
		return this.queues.unfinishedWorkExcept(left);
	}

	LockedKeyQueue join(Waiter waiter, boolean background) {
		String key = waiter.request().key();
		while (true) {
			if (this.closed) {
				throw shutDown(key);
			}
			LockedKeyQueue queue = this.queues.obtain(waiter.request());
			Effects effects = queue.join(waiter);
			if (effects != null) {
				if (this.closed) {
					// close() may have passed by before we joined.
					this.sender.runAsync(queue, queue.failWaiters(shutDown(key)));
				}
				if (background && waiter.request().fair()) {
					this.sender.runAsyncInOrder(queue, effects);
				}
				else if (background) {
					this.sender.runAsync(queue, effects);
				}
				else {
					runHere(queue, waiter, effects);
				}
				return queue;
			}
		}
	}

	/** How long a caller that gives up waits until its ticket has left the store. */
	long withdrawalNanos() {
		return this.withdrawalNanos;
	}

	private void runHere(LockedKeyQueue queue, Waiter waiter, Effects effects) {
		try {
			this.sender.runHere(queue, effects);
		}
		catch (RuntimeException | Error ex) {
			// First, without a call: to withdraw may fail, too.
			waiter.abandoned = true;
			withdraw(queue, waiter);
			throw ex;
		}
	}

	boolean giveUp(LockedKeyQueue queue, Waiter waiter, boolean timedOut) {
		Effects effects = queue.giveUp(waiter, timedOut);
		if (effects == null) {
			return false;
		}
		this.sender.runAsync(queue, effects);
		return true;
	}

	/**
	 * The same on the caller's thread, which cancels its ticket itself: it returns when
	 * the store has answered, or after one command time-out.
	 */
	boolean giveUpHere(LockedKeyQueue queue, Waiter waiter, boolean timedOut) {
		Effects effects = queue.giveUp(waiter, timedOut);
		if (effects == null) {
			return false;
		}
		if (waiter.isLeaving() && effects.command() instanceof Command.Release) {
			this.sender.runHere(queue, effects);
		}
		else {
			this.sender.runAsync(queue, effects);
		}
		return true;
	}

	/** An error ended a wait: the caller gets that, and not the lock. */
	void withdraw(LockedKeyQueue queue, Waiter waiter) {
		giveUp(queue, waiter, false);
		if (waiter.outcome() instanceof Outcome.Acquired admitted) {
			releaseAsync(admitted.holder());
		}
	}

	private static LockBackendException shutDown(String key) {
		return new LockBackendException(
				"Lock '" + key + "' cannot be acquired: the lock registry is shutting down, or has not been started");
	}

	/**
	 * The result of a downgrade.
	 *
	 * @param writer the outcome of the writer's release
	 * @param reader the reader, which holds the lock since that release; {@code null} if
	 * that is not certain, and then its ticket is given back
	 */
	public record DowngradeResult(ReleaseOutcome writer, @Nullable Holder reader) {
	}

}
