package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.waiting.Waiter.DowngradeWaiter;

/**
 * Lets writers become readers: the release of the writer makes the only attempt of the
 * reader. Thread-safe.
 */
final class Downgrades {

	private final Waits waits;

	private final KeyQueues queues;

	private final CommandSender sender;

	private final EngineEnvironment environment;

	private final BlockingAcquirer blocking;

	private final Duration backendTimeout;

	Downgrades(Waits waits, KeyQueues queues, CommandSender sender, EngineEnvironment environment,
			BlockingAcquirer blocking, Duration backendTimeout) {
		this.waits = waits;
		this.queues = queues;
		this.sender = sender;
		this.environment = environment;
		this.blocking = blocking;
		this.backendTimeout = backendTimeout;
	}

	DowngradeResult downgrade(Holder holder, Duration leaseEnd, Duration readerLease) {
		KeyQueue queue = this.queues.find(holder.ticket());
		if (queue == null) {
			return new DowngradeResult(ReleaseOutcome.GONE, null);
		}
		WaitRequest request = WaitRequest.forDowngrade(holder.ticket().key(), readerLease);
		long now = this.environment.clock().nanoTime();
		// Another command may have to be answered first, and may be repeated for long.
		long wait = Math.min(leaseEnd.toNanos(), this.backendTimeout.toNanos());
		DowngradeWaiter waiter = new DowngradeWaiter(request, now, wait, this.environment);
		KeyQueue readerQueue = this.queues.obtain(request);
		PendingDowngrade downgrade = readerQueue.prepareDowngrade(waiter);
		Effects effects = queue.release(holder, now + leaseEnd.toNanos(), downgrade);
		if (effects == null) {
			this.sender.runAsync(readerQueue, downgrade.refused());
			return new DowngradeResult(ReleaseOutcome.GONE, null);
		}
		try {
			ReleaseOutcome outcome = this.sender.runHere(queue, effects);
			return new DowngradeResult(outcome, this.blocking.awaitDowngrade(readerQueue, waiter));
		}
		catch (RuntimeException | Error ex) {
			waiter.abandoned = true;
			this.waits.abandonWait(readerQueue, waiter);
			throw ex;
		}
	}

}
