package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.waiting.Waiter.Outcome;
import io.github.distlock.waiting.Waiter.ThreadWaiter;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks for threads, which are parked while they wait. If anything is thrown
 * meanwhile, the caller does not stay in the queue of its key. Thread-safe.
 */
final class BlockingAcquirer {

	/** After an error on another thread a wake-up may be missing. */
	private static final long LONGEST_PARK_NANOS = Duration.ofSeconds(10).toNanos();

	private final LockAcquirer waits;

	private final EngineEnvironment environment;

	private final TimeSource clock;

	BlockingAcquirer(LockAcquirer waits, EngineEnvironment environment) {
		this.waits = waits;
		this.environment = environment;
		this.clock = environment.clock();
	}

	@Nullable Holder acquire(WaitRequest request, boolean interruptible) throws InterruptedException {
		if (interruptible && Thread.interrupted()) {
			throw new InterruptedException("Interrupted before waiting for lock '" + request.key() + "'");
		}
		long start = this.clock.nanoTime();
		boolean restarted = false;
		while (true) {
			ThreadWaiter waiter = new ThreadWaiter(request, start, this.environment);
			Outcome outcome = await(waiter, interruptible, restarted);
			Holder holder = this.waits.holderOf(request, outcome);
			// One answer ends the wait of a caller that tries once, whatever it is.
			if (holder != null || waiter.triesOnce() || !(outcome instanceof Outcome.Success)) {
				return holder;
			}
			restarted = true;
		}
	}

	private Outcome await(ThreadWaiter waiter, boolean interruptible, boolean restarted) throws InterruptedException {
		KeyQueue queue = this.waits.join(waiter, null);
		try {
			return park(queue, waiter, interruptible, restarted);
		}
		catch (RuntimeException | Error ex) {
			this.waits.abandonWait(queue, waiter);
			throw ex;
		}
	}

	/** An interrupt that does not end the wait is restored when the thread returns. */
	private Outcome park(KeyQueue queue, ThreadWaiter waiter, boolean interruptible, boolean restarted)
			throws InterruptedException {
		boolean interrupted = false;
		boolean notified = restarted;
		try {
			Outcome outcome;
			while ((outcome = waiter.outcome()) == null) {
				if (Thread.interrupted()) {
					interrupted = true;
				}
				if (interrupted && interruptible) {
					if (!this.waits.giveUp(queue, waiter, false, true)) {
						// Decided just before. Its wake-up may have ended a park on the
						// lock of the queue, and no other wake-up comes.
						continue;
					}
					// Another interrupt meanwhile is a new one: it stays set.
					interrupted = awaitDeparture(waiter);
					throw new InterruptedException(
							"Interrupted while waiting for lock '" + waiter.request().key() + "'");
				}
				long remaining = waiter.isEndless() ? Long.MAX_VALUE : waiter.remainingNanos(this.clock.nanoTime());
				if (remaining <= 0) {
					this.waits.giveUp(queue, waiter, true, true);
					continue;
				}
				if (!notified && !waiter.triesOnce()) {
					notified = true;
					waiter.request().listener().waiting(waiter.startNanos());
					// A listener may have parked, and used up the wake-up.
					continue;
				}
				this.environment.park(this, Math.min(remaining, LONGEST_PARK_NANOS));
			}
			interrupted |= awaitDeparture(waiter);
			// A failure of the store may have replaced a time-out meanwhile.
			Outcome last = waiter.outcome();
			return (last != null) ? last : outcome;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * A caller that has given up waits until its ticket has left the store.
	 * @return whether the thread was interrupted
	 */
	private boolean awaitDeparture(ThreadWaiter waiter) {
		boolean interrupted = false;
		if (waiter.isDeparting()) {
			long end = this.clock.nanoTime() + this.waits.cancelTimeoutNanos();
			long remaining;
			while (waiter.isDeparting() && (remaining = end - this.clock.nanoTime()) > 0) {
				this.environment.park(this, remaining);
				interrupted |= Thread.interrupted();
			}
		}
		return interrupted;
	}

}
