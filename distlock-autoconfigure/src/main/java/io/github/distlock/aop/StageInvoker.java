package io.github.distlock.aop;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

import io.github.distlock.LockContext;
import io.github.distlock.observation.LockedWork;
import io.github.distlock.transaction.TransactionBoundary;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods that return a {@code CompletionStage}. The locks are requested when the
 * method is called. When they are acquired, the body runs on an executor. They are held
 * until the stage completes that the body has returned. The stage of the caller completes
 * after the release. All failures are reported by that stage.
 */
final class StageInvoker {

	private final AsyncLockExecutor lockExecutor;

	private final WorkExecutor executor;

	StageInvoker(AsyncLockExecutor lockExecutor, WorkExecutor executor) {
		this.lockExecutor = lockExecutor;
		this.executor = executor;
	}

	@Nullable Object invoke(MethodLocks locks, MethodInvocation invocation) throws Throwable {
		try {
			LockedCall call = LockedCall.of(locks, invocation, TransactionBoundary.isActive());
			if (!call.isUnlocked()) {
				return new AsyncCall(call.detach()).begin();
			}
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return invocation.proceed();
	}

	/** One call. */
	private final class AsyncCall {

		private final LockedCall call;

		private final CallerScope outer;

		private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

		/**
		 * Whether the body has begun or will never begin. The code that sets it releases
		 * the locks.
		 */
		private final AtomicBoolean decided = new AtomicBoolean();

		AsyncCall(LockedCall call) {
			this.call = call;
			this.outer = CallerScope.ofThisThread(call);
		}

		CompletableFuture<@Nullable Object> begin() {
			UnaryOperator<Runnable> callerContext = CallerScope.captureContext();
			CompletableFuture<LockedCall> waiting = StageInvoker.this.lockExecutor.acquire(this.call, this.outer);
			waiting.whenComplete((locked, failure) -> {
				if (failure != null) {
					complete(null, failure);
				}
				else {
					StageInvoker.this.executor.begin(callerContext.apply(this::start), this::abandon);
				}
			});
			this.result.whenComplete((value, failure) -> StageInvoker.this.lockExecutor.cancel(waiting));
			return this.result;
		}

		private void start() {
			if (this.result.isDone()) {
				// Cancelled before the body began.
				abandon(new CancellationException());
			}
			if (!this.decided.compareAndSet(false, true)) {
				return;
			}
			// From here on, only release() releases the locks.
			try (LockContext.Scope scope = this.outer.open()) {
				((CompletionStage<?>) this.call.result()).whenComplete(this::release);
			}
			catch (Throwable ex) {
				release(null, ex);
			}
		}

		/** Release the locks, unless the body has begun. */
		private void abandon(Throwable reason) {
			if (this.decided.compareAndSet(false, true)) {
				StageInvoker.this.lockExecutor.abandon(this.call, () -> complete(null, reason));
			}
		}

		private void release(@Nullable Object value, @Nullable Throwable failure) {
			StageInvoker.this.lockExecutor.release(this.call, LockedWork.ownFailure(failure),
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
			StageInvoker.this.executor.end(() -> {
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
