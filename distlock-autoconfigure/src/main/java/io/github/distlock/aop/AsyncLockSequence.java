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
 * The wait of one call for its locks, one after the other, without a thread. Whoever
 * cancels {@link #result} gives it up: then nothing stays locked.
 */
final class AsyncLockSequence {

	private final LockedInvocation call;

	private final List<HeldLock> outer;

	private final AsyncLockExecutor locks;

	private final LockWait wait;

	/**
	 * Grows by one with each step. A step begins when the future of the step before is
	 * complete, so no two run at a time and each sees what the one before did.
	 */
	private final List<HeldLock> had = new ArrayList<>();

	private final CompletableFuture<AsyncAnswerOfLocks> result = new CompletableFuture<>();

	AsyncLockSequence(LockedInvocation call, List<HeldLock> outer, AsyncLockExecutor locks) {
		this.call = call;
		this.outer = outer;
		this.locks = locks;
		this.wait = call.startWaiting();
	}

	CompletableFuture<AsyncAnswerOfLocks> result() {
		return this.result;
	}

	/** Ask for the next lock, or say that all are had. */
	void goOn() {
		if (this.had.size() < this.call.wanted().size() && !this.result.isDone()) {
			ask(this.call.wanted().get(this.had.size()));
		}
		else if (begun() && !this.result.complete(new AsyncAnswerOfLocks.Entered(this.had))) {
			// Cancelled or failed, perhaps at the moment of the grant: nothing else
			// closes
			// them.
			this.locks.giveBack(this.call, this.had, () -> {
			});
		}
	}

	/** All are had, unless the wait was cancelled. */
	private boolean begun() {
		try {
			if (!this.result.isDone()) {
				this.call.begin(this.had);
			}
			return true;
		}
		catch (RuntimeException | Error ex) {
			fail(this.call.wanted().get(0), ex);
			return false;
		}
	}

	private void ask(LockTarget wanted) {
		try (LockContext.Scope scope = LockContext.openAll(this.outer)) {
			follow(wanted.acquireAsync(this.wait.request(wanted)), wanted);
		}
		catch (RuntimeException | Error ex) {
			fail(wanted, ex);
		}
	}

	private <T> void follow(Acquisition<T> acquisition, LockTarget wanted) {
		// First of all: nothing else gives back a lock that is the answer.
		acquisition.answer().whenComplete((answered, failure) -> {
			if (failure != null) {
				fail(wanted, failure);
				return;
			}
			try {
				answered(acquisition.lock().apply(answered), wanted);
			}
			catch (RuntimeException | Error ex) {
				fail(wanted, ex);
			}
		});
		this.result.whenComplete((entry, failure) -> {
			if (this.result.isCancelled()) {
				acquisition.answer().cancel(false);
			}
		});
	}

	private void answered(@Nullable HeldLock lock, LockTarget wanted) {
		if (lock != null) {
			this.had.add(lock);
			goOn();
		}
		else {
			fail(wanted, new LockNotAcquiredException(
					"Others hold lock '" + wanted.request().key() + "' (" + wanted.request().label() + ")"));
		}
	}

	private void fail(LockTarget wanted, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		List<HeldLock> acquired = List.copyOf(this.had);
		this.had.clear();
		this.locks.giveBack(this.call, acquired, () -> {
			if (cause instanceof LockException problem) {
				this.result.complete(new AsyncAnswerOfLocks.Refused(wanted, problem));
			}
			else {
				this.result.completeExceptionally(cause);
			}
		});
	}

}
