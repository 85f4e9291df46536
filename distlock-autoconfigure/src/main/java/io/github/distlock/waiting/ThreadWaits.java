package io.github.distlock.waiting;

import java.util.concurrent.locks.LockSupport;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The waits of threads, each from its request to its end, parked. Whatever is thrown
 * meanwhile, the caller does not stay in the queue of its key. Thread-safe.
 */
final class ThreadWaits {

	private final LockAcquirer acquirer;

	private final TimeSource clock;

	private final long withdrawalNanos;

	/**
	 * Create it.
	 * @param withdrawalNanos how long a caller that gives up waits until its ticket has
	 * left the store
	 */
	ThreadWaits(LockAcquirer acquirer, TimeSource clock, long withdrawalNanos) {
		this.acquirer = acquirer;
		this.clock = clock;
		this.withdrawalNanos = withdrawalNanos;
	}

	@Nullable Holder acquire(WaitRequest request, boolean interruptible) throws InterruptedException {
		if (interruptible && Thread.interrupted()) {
			throw new InterruptedException("Interrupted before waiting for lock '" + request.key() + "'");
		}
		long start = this.clock.nanoTime();
		boolean restart = false;
		while (true) {
			ThreadWaiter waiter = new ThreadWaiter(request, start);
			LockedKeyQueue queue = this.acquirer.join(waiter, false);
			Outcome outcome = await(queue, waiter, interruptible, restart);
			if (outcome instanceof Outcome.Failed failed) {
				throw failed.forCaller();
			}
			Holder holder = admitted(outcome);
			// One answer ends the wait of a caller that asks once, whatever it was.
			if (holder != null || waiter.isOnce() || !(outcome instanceof Outcome.Acquired)) {
				return holder;
			}
			restart = true;
		}
	}

	/** Wait for the one answer of the store that decides about an downgrade. */
	@Nullable Holder awaitAnswer(LockedKeyQueue queue, DowngradeWaiter waiter) {
		try {
			return admitted(await(queue, waiter, false, true));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("An uninterruptible wait was interrupted", ex);
		}
	}

	private @Nullable Holder admitted(Outcome outcome) {
		if (!(outcome instanceof Outcome.Acquired admitted)) {
			return null;
		}
		Holder holder = admitted.holder();
		if (!holder.hasPassed(this.clock)) {
			return holder;
		}
		// This process was paused between the grant and here: it must not enter.
		this.acquirer.releaseAsync(holder);
		return null;
	}

	private Outcome await(LockedKeyQueue queue, ThreadWaiter waiter, boolean interruptible, boolean restart)
			throws InterruptedException {
		try {
			return park(queue, waiter, interruptible, restart);
		}
		catch (RuntimeException | Error ex) {
			// First, without a call: to withdraw may fail, too.
			waiter.abandoned = true;
			this.acquirer.withdraw(queue, waiter);
			throw ex;
		}
	}

	/** An interrupt that does not end the wait is set again when the thread returns. */
	private Outcome park(LockedKeyQueue queue, ThreadWaiter waiter, boolean interruptible, boolean restart)
			throws InterruptedException {
		boolean interrupted = false;
		boolean told = restart;
		try {
			Outcome outcome;
			while ((outcome = waiter.outcome()) == null) {
				if (Thread.interrupted()) {
					interrupted = true;
				}
				if (interrupted && interruptible) {
					if (!this.acquirer.giveUpHere(queue, waiter, false)) {
						// Decided just before. Its wake-up may have ended a park on the
						// queue's lock, and no other one comes.
						continue;
					}
					// A second interrupt, meanwhile, is another one: it stays set.
					interrupted = awaitWithdrawal(waiter);
					throw new InterruptedException(
							"Interrupted while waiting for lock '" + waiter.request().key() + "'");
				}
				long remaining = waiter.isEndless() ? Long.MAX_VALUE : waiter.remainingNanos(this.clock.nanoTime());
				if (remaining <= 0) {
					this.acquirer.giveUpHere(queue, waiter, true);
					continue;
				}
				if (!told && !waiter.isOnce()) {
					told = true;
					waiter.request().onWaiting().run();
					// A listener may have parked, and used up the wake-up.
					continue;
				}
				LockSupport.parkNanos(this, remaining);
			}
			interrupted |= awaitWithdrawal(waiter);
			return outcome;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * A caller that has given up waits until its ticket has left the store.
	 * @return whether it was interrupted
	 */
	private boolean awaitWithdrawal(ThreadWaiter waiter) {
		boolean interrupted = false;
		if (waiter.isLeaving()) {
			long end = this.clock.nanoTime() + this.withdrawalNanos;
			long left;
			while (waiter.isLeaving() && (left = end - this.clock.nanoTime()) > 0) {
				LockSupport.parkNanos(this, left);
				interrupted |= Thread.interrupted();
			}
		}
		return interrupted;
	}

}
