package io.github.distlock.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * A future that waits: no thread is held. Completes on a thread for callbacks, never on
 * the thread that decided, which may be one of the store's.
 */
final class FutureWaiter extends Waiter {

	private final CompletableFuture<@Nullable Outcome> future = new CompletableFuture<>();

	private final Executor executor;

	FutureWaiter(WaitRequest request, long nowNanos, Executor executor) {
		super(request, nowNanos);
		this.executor = executor;
	}

	CompletableFuture<@Nullable Outcome> future() {
		return this.future;
	}

	@Override
	void wake() {
		try {
			this.executor.execute(() -> this.future.complete(outcome()));
		}
		catch (Throwable ex) {
			// The registry has been shut down, or no thread can be started: the caller
			// must not wait in vain.
			this.future.complete(outcome());
		}
	}

}
