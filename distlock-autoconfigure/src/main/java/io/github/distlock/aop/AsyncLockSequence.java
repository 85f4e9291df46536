package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Acquires the locks of one call, one after the other, without a waiting thread. The wait
 * ends when {@link #result} is cancelled: no lock stays held then.
 */
final class AsyncLockSequence {

	private final LockedCall call;

	private final CallerScope outer;

	private final AsyncLockExecutor executor;

	private final long startNanos;

	/**
	 * Grows by one with each step. A step begins when the future of the step before is
	 * complete, so no two steps run at the same time, and each sees the changes of the
	 * steps before.
	 */
	private final List<HeldLock> acquired = new ArrayList<>();

	private final CompletableFuture<AsyncOutcome> result = new CompletableFuture<>();

	AsyncLockSequence(LockedCall call, CallerScope outer, AsyncLockExecutor executor) {
		this.call = call;
		this.outer = outer;
		this.executor = executor;
		this.startNanos = call.startWaiting();
	}

	CompletableFuture<AsyncOutcome> result() {
		return this.result;
	}

	/** Request the next lock, or complete the result if all locks are acquired. */
	void next() {
		int next = Math.min(this.acquired.size(), this.call.targets().size() - 1);
		LockTarget target = this.call.targets().get(next);
		try (LockContext.Scope scope = this.outer.open()) {
			if (this.acquired.size() == next && !this.result.isDone()) {
				await(target.acquireAsync(this.call.request(target, this.startNanos)), target);
				return;
			}
			if (!this.result.isDone()) {
				this.call.begin(this.acquired);
			}
		}
		catch (RuntimeException | Error ex) {
			fail(target, ex);
			return;
		}
		if (!this.result.complete(new AsyncOutcome(this.acquired, null, null))) {
			// Cancelled or failed, perhaps in the moment of the grant: nothing else
			// releases the locks.
			this.executor.abandon(this.acquired, () -> {
			});
		}
	}

	private void await(CompletableFuture<?> answer, LockTarget target) {
		// Must come first: nothing else releases a lock that the answer contains.
		answer.whenComplete((granted, failure) -> {
			HeldLock lock;
			try {
				lock = (failure == null) ? target.lock(granted) : null;
			}
			catch (RuntimeException ex) {
				fail(target, ex);
				return;
			}
			if (lock == null) {
				fail(target, failure);
				return;
			}
			this.acquired.add(lock);
			next();
		});
		this.result.whenComplete((outcome, failure) -> {
			if (this.result.isCancelled()) {
				answer.cancel(false);
			}
		});
	}

	/** Release the locks and report why, {@code null} if the call is skipped. */
	private void fail(LockTarget target, @Nullable Throwable failure) {
		Throwable cause = LockedCall.ownFailure(failure);
		List<HeldLock> abandoned = List.copyOf(this.acquired);
		this.acquired.clear();
		this.executor.abandon(abandoned, () -> {
			if (cause == null || cause instanceof LockException) {
				this.result.complete(new AsyncOutcome(List.of(), target, (LockException) cause));
			}
			else {
				this.result.completeExceptionally(cause);
			}
		});
	}

	/**
	 * How the wait has ended.
	 *
	 * @param locks the locks to release, in the order in which they were acquired; none
	 * if the call needs none, or one was not acquired
	 * @param missing the lock that was not acquired, {@code null} if all were
	 * @param problem why it was not acquired, {@code null} if the call is skipped
	 */
	record AsyncOutcome(List<HeldLock> locks, @Nullable LockTarget missing, @Nullable LockException problem) {

		/**
		 * Determine what the caller gets.
		 * @param call the call
		 * @return the result of the method or, without the locks, that of the failure
		 * policy
		 * @throws Throwable the exception of the method or of the failure policy
		 */
		Object result(LockedCall call) throws Throwable {
			Object result = resultOrNull(call);
			Assert.state(result != null, () -> call.locks().method() + " returned null, or its fallback did");
			return result;
		}

		@Nullable Object resultOrNull(LockedCall call) throws Throwable {
			return (this.missing != null) ? call.withoutLock(this.missing, this.problem) : call.proceed(this.locks);
		}

	}

}
