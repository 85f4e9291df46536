package io.github.distlock.aop;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.LockContext;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods that return a {@code CompletionStage}. The locks are requested when the
 * method is called. When they are acquired, the body runs on an executor. They are held
 * until the stage completes that the body has returned. The stage of the caller completes
 * after the release. All failures are reported by that stage.
 */
final class CompletionStageInvoker implements LockInvoker {

	private final LockTargetResolver targets;

	private final AsyncLockExecutor lockExecutor;

	private final WorkExecutor executor;

	CompletionStageInvoker(LockTargetResolver targets, AsyncLockExecutor lockExecutor, WorkExecutor executor) {
		this.targets = targets;
		this.lockExecutor = lockExecutor;
		this.executor = executor;
	}

	@Override
	public @Nullable Object invoke(MethodLocks locks, MethodInvocation invocation) throws Throwable {
		LockedInvocation call;
		try {
			call = this.targets.resolve(locks, invocation);
			if (!call.targets().isEmpty()) {
				return new AsyncCall(call.detached()).begin();
			}
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return call.invocation().proceed();
	}

	/** One call. */
	private final class AsyncCall {

		private final LockedInvocation call;

		private final CallerScope outer;

		private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

		/**
		 * Whether the body has begun or will never begin. The code that sets it releases
		 * the locks.
		 */
		private final AtomicBoolean decided = new AtomicBoolean();

		AsyncCall(LockedInvocation call) {
			this.call = call;
			this.outer = CallerScope.ofThisThread(call);
		}

		CompletableFuture<@Nullable Object> begin() {
			AsyncLockOutcome[] outcome = new AsyncLockOutcome[1];
			Runnable body = CallerContext.wrap(() -> start(outcome[0]));
			CompletableFuture<AsyncLockOutcome> waiting = CompletionStageInvoker.this.lockExecutor.acquire(this.call,
					this.outer);
			waiting.whenComplete((acquired, failure) -> {
				if (failure != null) {
					complete(null, failure);
					return;
				}
				outcome[0] = acquired;
				CompletionStageInvoker.this.executor.begin(() -> {
					try {
						body.run();
					}
					catch (Throwable ex) {
						// Setting the context of the caller may fail, too.
						abandon(acquired, ex);
					}
				}, (ex) -> abandon(acquired, ex));
			});
			this.result.whenComplete((value, failure) -> CompletionStageInvoker.this.lockExecutor.cancel(waiting));
			return this.result;
		}

		private void start(AsyncLockOutcome outcome) {
			if (this.result.isDone()) {
				// Cancelled before the body began.
				abandon(outcome, new CancellationException());
				return;
			}
			if (!this.decided.compareAndSet(false, true)) {
				return;
			}
			// From here on, only release() releases the locks.
			try (LockContext.Scope scope = this.outer.open()) {
				((CompletionStage<?>) outcome.result(this.call))
					.whenComplete((value, failure) -> release(outcome, value, failure));
			}
			catch (Throwable ex) {
				release(outcome, null, ex);
			}
		}

		/** Release the locks, unless the body has begun. */
		private void abandon(AsyncLockOutcome outcome, Throwable reason) {
			if (this.decided.compareAndSet(false, true)) {
				CompletionStageInvoker.this.lockExecutor.abandon(outcome.locks(), () -> complete(null, reason));
			}
		}

		private void release(AsyncLockOutcome outcome, @Nullable Object value, @Nullable Throwable failure) {
			Throwable own = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
					: failure;
			CompletionStageInvoker.this.lockExecutor.release(outcome.locks(), own,
					(problem) -> complete(value, (failure != null) ? failure : problem));
		}

		/**
		 * Stages that depend on the result may block, so they run on a thread of their
		 * own.
		 */
		private void complete(@Nullable Object value, @Nullable Throwable failure) {
			if (this.result.isDone()) {
				return;
			}
			CompletionStageInvoker.this.executor.end(() -> {
				if (failure != null) {
					this.result.completeExceptionally(failure);
				}
				else {
					this.result.complete(value);
				}
			});
		}

	}

}
