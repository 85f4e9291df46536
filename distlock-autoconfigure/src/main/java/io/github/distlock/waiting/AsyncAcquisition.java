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

	private final LockAcquirer room;

	private final CommandSender dispatcher;

	private final TimeSource clock;

	private final WaitRequest request;

	private final long startNanos;

	private final CompletableFuture<@Nullable Holder> result = new CompletableFuture<>();

	AsyncAcquisition(LockAcquirer room, CommandSender dispatcher, TimeSource clock, WaitRequest request) {
		this.room = room;
		this.dispatcher = dispatcher;
		this.clock = clock;
		this.request = request;
		this.startNanos = clock.nanoTime();
	}

	CompletableFuture<@Nullable Holder> begin() {
		attempt(true);
		return this.result;
	}

	private void attempt(boolean first) {
		FutureWaiter waiter = new FutureWaiter(this.request, this.startNanos, this.dispatcher.callbacks());
		LockedKeyQueue entry = this.room.join(waiter, true);
		try {
			Future<?> timer = waiter.isEndless() ? null : this.dispatcher.tasks()
				.later(() -> timedOut(entry, waiter), Math.max(0, waiter.remainingNanos(this.clock.nanoTime())));
			this.result.whenComplete((admission, failure) -> {
				if (this.result.isCancelled()) {
					this.room.giveUp(entry, waiter, false);
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
			this.room.withdraw(entry, waiter);
		}
	}

	/** It completes when its ticket has left the store, or after one command time-out. */
	private void timedOut(LockedKeyQueue entry, FutureWaiter waiter) {
		if (this.room.giveUp(entry, waiter, true) && waiter.isLeaving()) {
			this.dispatcher.tasks().laterSurely(waiter::wake, this.room.withdrawalNanos());
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
		else if (outcome instanceof Outcome.Admitted admitted) {
			admitted(admitted.admission());
		}
		else {
			this.result.complete(null);
		}
	}

	private void admitted(Holder admission) {
		if (admission.hasPassed(this.clock)) {
			this.room.releaseAsync(admission);
			if (this.request.waitTime().isZero()) {
				// One answer ends the wait of a caller that asks once, whatever it was.
				this.result.complete(null);
			}
			else if (!this.result.isDone()) {
				attempt(false);
			}
		}
		else if (!this.result.complete(admission)) {
			// Cancelled in the moment of the grant.
			this.room.releaseAsync(admission);
		}
	}

}
