package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.aop.LockTarget.Acquisition;
import org.jspecify.annotations.Nullable;

/**
 * Acquires the locks of one call, one after the other, without a waiting thread. The wait
 * ends when {@link #result} is cancelled: no lock stays held then.
 */
final class AsyncLockSequence {

	private final LockedInvocation call;

	private final CallerScope outer;

	private final AsyncLockExecutor lockExecutor;

	private final long startNanos;

	/**
	 * Grows by one with each step. A step begins when the future of the step before is
	 * complete, so no two steps run at the same time, and each sees the changes of the
	 * steps before.
	 */
	private final List<HeldLock> acquired = new ArrayList<>();

	private final CompletableFuture<AsyncLockOutcome> result = new CompletableFuture<>();

	AsyncLockSequence(LockedInvocation call, CallerScope outer, AsyncLockExecutor lockExecutor) {
		this.call = call;
		this.outer = outer;
		this.lockExecutor = lockExecutor;
		this.startNanos = call.startWaiting();
	}

	CompletableFuture<AsyncLockOutcome> result() {
		return this.result;
	}

	/** Request the next lock, or complete the result if all locks are acquired. */
	void next() {
		if (this.acquired.size() < this.call.targets().size() && !this.result.isDone()) {
			request(this.call.targets().get(this.acquired.size()));
		}
		else if (begin() && !this.result.complete(new AsyncLockOutcome.Acquired(this.acquired))) {
			// Cancelled or failed, perhaps in the moment of the grant: nothing else
			// releases the locks.
			this.lockExecutor.abandon(this.acquired, () -> {
			});
		}
	}

	/** Start the leases, unless the wait was cancelled. */
	private boolean begin() {
		try {
			if (!this.result.isDone()) {
				this.call.begin(this.acquired);
			}
			return true;
		}
		catch (RuntimeException | Error ex) {
			fail(this.call.targets().get(0), ex);
			return false;
		}
	}

	private void request(LockTarget target) {
		try (LockContext.Scope scope = this.outer.open()) {
			await(target.acquireAsync(this.call.request(target, this.startNanos)), target);
		}
		catch (RuntimeException | Error ex) {
			fail(target, ex);
		}
	}

	private <T> void await(Acquisition<T> acquisition, LockTarget target) {
		// Must come first: nothing else releases a lock that the answer contains.
		acquisition.answer().whenComplete((answer, failure) -> {
			if (failure != null) {
				fail(target, failure);
				return;
			}
			try {
				answered(acquisition.lock().apply(answer), target);
			}
			catch (RuntimeException | Error ex) {
				fail(target, ex);
			}
		});
		this.result.whenComplete((outcome, failure) -> {
			if (this.result.isCancelled()) {
				acquisition.answer().cancel(false);
			}
		});
	}

	private void answered(@Nullable HeldLock lock, LockTarget target) {
		if (lock != null) {
			this.acquired.add(lock);
			next();
		}
		else {
			fail(target, new LockNotAcquiredException("Lock '" + target.request().key() + "' ("
					+ target.request().label() + ") is held by another caller"));
		}
	}

	private void fail(LockTarget target, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		List<HeldLock> abandoned = List.copyOf(this.acquired);
		this.acquired.clear();
		this.lockExecutor.abandon(abandoned, () -> {
			if (cause instanceof LockException problem) {
				this.result.complete(new AsyncLockOutcome.NotAcquired(target, problem));
			}
			else {
				this.result.completeExceptionally(cause);
			}
		});
	}

}
