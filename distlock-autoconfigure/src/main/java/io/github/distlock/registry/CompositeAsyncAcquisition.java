package io.github.distlock.registry;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;

/**
 * One asynchronous wait for a lock in two registries, all or nothing.
 *
 * @param <T> what the caller gets
 */
final class CompositeAsyncAcquisition<T> {

	private final LockRequest request;

	private final SharedWait shared;

	private final AsyncAnswer<T> answer;

	private final CompletableFuture<T> result = new CompletableFuture<>();

	CompositeAsyncAcquisition(LockRequest request, SharedWait shared, AsyncAnswer<T> answer) {
		this.request = request;
		this.shared = shared;
		this.answer = answer;
	}

	CompletableFuture<T> begin(LockRegistry first, LockRegistry second) {
		follow(this.answer.ask(first, this.request.waitTime(this.shared.whole()))).whenComplete((had, failure) -> {
			if (failure != null) {
				this.result.completeExceptionally(cause(failure));
				return;
			}
			HeldLock one = this.answer.lock(had);
			if (one == null) {
				this.result.complete(had);
			}
			else {
				goOn(one, second);
			}
		});
		return this.result;
	}

	private void goOn(HeldLock one, LockRegistry second) {
		CompletableFuture<T> waiting;
		try {
			waiting = this.answer.ask(second, this.request.waitTime(this.shared.rest()));
		}
		catch (RuntimeException | Error ex) {
			waiting = CompletableFuture.failedFuture(ex);
		}
		follow(waiting).whenComplete((had, failure) -> {
			if (failure != null) {
				this.result.completeExceptionally(CompositeLockRegistry.abandon(one, cause(failure)));
				return;
			}
			HeldLock two = this.answer.lock(had);
			if (two == null) {
				CompositeLockRegistry.abandon(one, CompositeLockRegistry.lostWhileWaiting(this.request));
				this.result.complete(had);
			}
			else {
				decide(one, two);
			}
		});
	}

	private void decide(HeldLock one, HeldLock two) {
		if (!one.isHeld()) {
			this.answer.without(this.result, CompositeLockRegistry.abandon(two,
					CompositeLockRegistry.abandon(one, CompositeLockRegistry.lostWhileWaiting(this.request))));
			return;
		}
		CompositeHeldLock both = new CompositeHeldLock(one, two);
		if (!this.result.complete(this.answer.with(both))) {
			// Cancelled in the moment of the grant: nobody will ever close it.
			both.abandon();
		}
	}

	/** Whoever cancels the result gives up the wait. */
	private CompletableFuture<T> follow(CompletableFuture<T> waiting) {
		this.result.whenComplete((lock, failure) -> {
			if (this.result.isCancelled()) {
				waiting.cancel(false);
			}
		});
		return waiting;
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
