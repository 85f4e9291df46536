package io.github.distlock.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * One asynchronous wait, from the request to its end. If a grant has passed before its
 * turn came to be told, it waits again for what is left of its time.
 */
final class AsyncAcquisition {

	private final LockAcquirer acquirer;

	private final CommandSender sender;

	private final TimeSource clock;

	private final WaitRequest request;

	private final long startNanos;

	private final CompletableFuture<@Nullable Holder> result = new CompletableFuture<>();

	AsyncAcquisition(LockAcquirer acquirer, CommandSender sender, TimeSource clock, WaitRequest request) {
		this.acquirer = acquirer;
		this.sender = sender;
		this.clock = clock;
		this.request = request;
		this.startNanos = clock.nanoTime();
	}

	CompletableFuture<@Nullable Holder> begin() {
		attempt(true);
		return this.result;
	}

	private void attempt(boolean first) {
		FutureWaiter waiter = new FutureWaiter(this.request, this.startNanos, this.sender.callbacks());
		LockedKeyQueue queue = this.acquirer.join(waiter, true);
		try {
			Future<?> timer = waiter.isEndless() ? null : this.sender.tasks()
				.later(() -> timedOut(queue, waiter), Math.max(0, waiter.remainingNanos(this.clock.nanoTime())));
			this.result.whenComplete((holder, failure) -> {
				if (this.result.isCancelled()) {
					this.acquirer.giveUp(queue, waiter, false);
				}
			});
			waiter.future().thenAccept((outcome) -> {
				if (timer != null) {
					timer.cancel(false);
				}
				ended(outcome);
			});
			if (first && !waiter.isOnce() && waiter.outcome() == null) {
				this.request.onWaiting().run();
			}
		}
		catch (RuntimeException | Error ex) {
			// Without its timer the wait might never end.
			waiter.abandoned = true;
			this.result.completeExceptionally(ex);
			this.acquirer.withdraw(queue, waiter);
		}
	}

	/** It completes when its ticket has left the store, or after one command time-out. */
	private void timedOut(LockedKeyQueue queue, FutureWaiter waiter) {
		if (this.acquirer.giveUp(queue, waiter, true) && waiter.isLeaving()) {
			this.sender.tasks().laterSurely(waiter::wake, this.acquirer.withdrawalNanos());
		}
	}

	private void ended(@Nullable Outcome outcome) {
		try {
			decided(outcome);
		}
		catch (RuntimeException | Error ex) {
			this.result.completeExceptionally(ex);
		}
	}

	private void decided(@Nullable Outcome outcome) {
		if (outcome instanceof Outcome.Failed failed) {
			this.result.completeExceptionally(failed.forCaller());
		}
		else if (outcome instanceof Outcome.Acquired admitted) {
			admitted(admitted.holder());
		}
		else {
			this.result.complete(null);
		}
	}

	private void admitted(Holder holder) {
		if (holder.hasPassed(this.clock)) {
			this.acquirer.releaseAsync(holder);
			if (this.request.waitTime().isZero()) {
				// One answer ends the wait of a caller that asks once, whatever it was.
				this.result.complete(null);
			}
			else if (!this.result.isDone()) {
				attempt(false);
			}
		}
		else if (!this.result.complete(holder)) {
			// Cancelled in the moment of the grant.
			this.acquirer.releaseAsync(holder);
		}
	}

}
