package io.github.distlock.registry;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.engine.LeaseTerms;
import io.github.distlock.engine.Hold;
import io.github.distlock.engine.KeyState;
import io.github.distlock.engine.KeyTable;
import io.github.distlock.engine.Waiter.FutureWaiter;
import org.jspecify.annotations.Nullable;

/**
 * One asynchronous acquisition, from the request to its end. If a grant has expired
 * before its callback runs, it waits again for the rest of its wait time.
 *
 * @param <T> the type of the result
 */
final class AsyncAcquisition<T> {

	private final LockAcquirer acquirer;

	private final KeyTable keys;

	private final Caller caller;

	private final LeaseTerms lease;

	private final Function<@Nullable HeldLock, T> result;

	private final long startNanos;

	private final CompletableFuture<T> future = new CompletableFuture<>();

	/**
	 * Create an acquisition that begins now.
	 * @param result what the future completes with if the lock was acquired, or with
	 * {@code null} if the wait ended without it
	 */
	AsyncAcquisition(LockAcquirer acquirer, Caller caller, LeaseTerms lease, Function<@Nullable HeldLock, T> result) {
		this.acquirer = acquirer;
		this.keys = acquirer.runtime().keys();
		this.caller = caller;
		this.lease = lease;
		this.result = result;
		this.startNanos = acquirer.runtime().nanoTime();
	}

	/** Return a future that completes on a callback thread. Cancel it to give up. */
	CompletableFuture<T> start() {
		attempt(true);
		return this.future;
	}

	private void attempt(boolean first) {
		FutureWaiter waiter = this.acquirer.newWaiter(this.caller, this.lease, this.startNanos);
		KeyState state = this.keys.join(waiter, () -> {
			if (first && !waiter.triesOnce() && waiter.outcome() == null) {
				reportWait();
			}
		});
		try {
			long remaining = waiter.remainingNanos(this.acquirer.runtime().nanoTime());
			boolean endless = remaining == Long.MAX_VALUE;
			Future<?> timer = endless ? null
					: this.keys.tasks().schedule(() -> this.keys.timeOut(state, waiter), Math.max(0, remaining));
			if (timer == null && !endless) {
				throw new LockBackendException("The wait for lock '" + this.caller.request().key()
						+ "' has no end: no timer could be set for it");
			}
			this.future.whenComplete((lock, failure) -> {
				// However the application has ended it; a failure has been reported.
				if (waiter.outcome() == null) {
					this.keys.giveUp(state, waiter, false);
					this.caller.failed(new CancellationException());
				}
			});
			waiter.future().thenAccept((outcome) -> {
				if (timer != null) {
					timer.cancel(false);
				}
				ended(waiter);
			}).whenComplete(this::failed);
		}
		catch (RuntimeException | Error ex) {
			try {
				failed(null, ex);
			}
			finally {
				this.keys.waitFailed(state, waiter);
			}
		}
	}

	/**
	 * The first attempt was answered, or other callers are ahead: this one waits. The
	 * listener runs on a callback thread, as the end of the wait does, and not on one
	 * that sends commands. If it fails, so does the wait.
	 */
	private void reportWait() {
		CompletableFuture.runAsync(() -> this.caller.waiting(this.startNanos), this.keys.tasks()::callBack)
			.whenComplete(this::failed);
	}

	private void failed(@Nullable Void nothing, @Nullable Throwable failure) {
		if (failure != null) {
			Throwable cause = StoreCalls.unwrap(failure);
			try {
				this.caller.failed(cause);
			}
			finally {
				this.future.completeExceptionally(cause);
			}
		}
	}

	private void ended(FutureWaiter waiter) {
		Hold granted = this.acquirer.grantOf(this.caller, waiter);
		if (this.future.isDone()) {
			if (granted != null) {
				// Cancelled at the moment of the grant.
				this.keys.releaseAsync(granted);
			}
			this.caller.failed(new CancellationException());
		}
		else if (granted != null) {
			HoldReference lock = new HoldReference(this.acquirer.begin(this.caller, granted),
					this.caller.request().keyWithoutPrefix());
			if (!this.future.complete(this.result.apply(lock))) {
				lock.abandon();
			}
		}
		else if (LockAcquirer.restarts(waiter)) {
			attempt(false);
		}
		else {
			this.caller.notAcquired();
			this.future.complete(this.result.apply(null));
		}
	}

}
