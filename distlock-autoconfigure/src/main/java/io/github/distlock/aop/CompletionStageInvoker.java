package io.github.distlock.aop;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * For methods that return a {@code CompletionStage}: the lock is asked for when the
 * method is called, the body runs on an executor when it is there, and the lock is held
 * until the stage is complete that the body returned. Whatever goes wrong, the caller's
 * stage says it. It completes after the release.
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

		private final List<HeldLock> outer = LockContext.all();

		private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

		/**
		 * Whether the body has begun, or never will: whoever sets it gives the locks
		 * back.
		 */
		private final AtomicBoolean decided = new AtomicBoolean();

		AsyncCall(LockedInvocation call) {
			this.call = call;
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
						// What carries the context of the caller may fail, too.
						abandon(acquired, ex);
					}
				}, (ex) -> abandon(acquired, ex));
			});
			this.result.whenComplete((value, failure) -> CompletionStageInvoker.this.lockExecutor.cancel(waiting));
			return this.result;
		}

		private void start(AsyncLockOutcome outcome) {
			if (this.result.isDone()) {
				// Cancelled before the work began: it need not begin.
				abandon(outcome, new CancellationException());
				return;
			}
			if (!this.decided.compareAndSet(false, true)) {
				return;
			}
			// From here on the locks are given back by leave, and by nothing else.
			try (LockContext.Scope scope = LockContext.openAll(this.outer)) {
				((CompletionStage<?>) outcome.result(this.call))
					.whenComplete((value, failure) -> leave(outcome, value, failure));
			}
			catch (Throwable ex) {
				leave(outcome, null, ex);
			}
		}

		/** The body cannot begin, unless it has. */
		private void abandon(AsyncLockOutcome outcome, Throwable reason) {
			if (this.decided.compareAndSet(false, true)) {
				CompletionStageInvoker.this.lockExecutor.abandon(outcome.locks(), () -> complete(null, reason));
			}
		}

		private void leave(AsyncLockOutcome outcome, @Nullable Object value, @Nullable Throwable failure) {
			Throwable own = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
					: failure;
			CompletionStageInvoker.this.lockExecutor.release(outcome.locks(), own,
					(problem) -> complete(value, (failure != null) ? failure : problem));
		}

		/** What depends on the result may block: not on a thread of ours. */
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
