package io.github.distlock.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.waiting.Waiter.FutureWaiter;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * One asynchronous acquisition, from the request to its end. If a grant has expired
 * before its callback runs, it waits again for the rest of its wait time.
 */
final class AsyncAcquisition {

	private final LockAcquirer waits;

	private final TaskRunner tasks;

	private final TimeSource clock;

	private final WaitRequest request;

	private final long startNanos;

	private final CompletableFuture<@Nullable Holder> result = new CompletableFuture<>();

	AsyncAcquisition(LockAcquirer waits, TaskRunner tasks, TimeSource clock, WaitRequest request) {
		this.waits = waits;
		this.tasks = tasks;
		this.clock = clock;
		this.request = request;
		this.startNanos = clock.nanoTime();
	}

	CompletableFuture<@Nullable Holder> start() {
		attempt(true);
		return this.result;
	}

	private void attempt(boolean first) {
		FutureWaiter waiter = new FutureWaiter(this.request, this.startNanos, this.tasks);
		KeyQueue queue = this.waits.join(waiter, () -> {
			if (first && !waiter.triesOnce() && waiter.outcome() == null) {
				reportWait();
			}
		});
		try {
			Future<?> timer = waiter.isEndless() ? null : this.tasks.schedule(() -> timedOut(queue, waiter),
					Math.max(0, waiter.remainingNanos(this.clock.nanoTime())));
			if (timer == null && !waiter.isEndless()) {
				throw new LockBackendException(
						"The wait for lock '" + this.request.key() + "' has no end: no timer could be set for it");
			}
			this.result.whenComplete((holder, failure) -> {
				if (this.result.isCompletedExceptionally()) {
					this.waits.giveUp(queue, waiter, false, false);
				}
			});
			waiter.future().thenAccept((outcome) -> {
				if (timer != null) {
					timer.cancel(false);
				}
				ended(outcome);
			}).whenComplete(this::failed);
		}
		catch (RuntimeException | Error ex) {
			this.result.completeExceptionally(ex);
			this.waits.abandonWait(queue, waiter);
		}
	}

	/**
	 * The first attempt was answered, or other callers are ahead: this one waits. The
	 * listener runs on a callback thread, as the end of the wait does, and not on one
	 * that sends commands. If it fails, so does the wait.
	 */
	private void reportWait() {
		CompletableFuture.runAsync(() -> this.request.listener().waiting(this.startNanos), this.tasks::callBack)
			.whenComplete(this::failed);
	}

	private void failed(@Nullable Void nothing, @Nullable Throwable failure) {
		if (failure != null) {
			this.result.completeExceptionally(StoreCalls.unwrap(failure));
		}
	}

	/** Complete when the ticket has left the store, or after one command time-out. */
	private void timedOut(KeyQueue queue, FutureWaiter waiter) {
		this.tasks.onEvent(queue.isFree(), () -> {
			if (this.waits.giveUp(queue, waiter, true, false) && waiter.isDeparting()) {
				this.tasks.schedule(waiter::wake, this.waits.cancelTimeoutNanos());
			}
		});
	}

	private void ended(@Nullable Outcome outcome) {
		Holder holder = this.waits.holderOf(this.request, outcome);
		boolean restarts = holder == null && outcome instanceof Outcome.Success;
		// One answer ends the wait of a caller that tries once, whatever it is.
		if (restarts && !this.request.waitTime().isZero()) {
			if (!this.result.isDone()) {
				attempt(false);
			}
		}
		else if (!this.result.complete(holder) && holder != null) {
			// Cancelled at the moment of the grant.
			this.waits.releases().releaseAsync(holder);
		}
	}

}
