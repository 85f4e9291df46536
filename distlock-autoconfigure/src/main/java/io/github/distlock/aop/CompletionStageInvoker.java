package io.github.distlock.aop;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import org.jspecify.annotations.Nullable;

/**
 * For methods that return a {@code CompletionStage}: the lock is asked for when the
 * method is called, the body runs on an executor when it is there, and the lock is held
 * until the stage is complete that the body returned. Whatever goes wrong, the caller's
 * stage says it. It completes after the release.
 */
final class CompletionStageInvoker implements LockInvoker {

	private final AsyncLockExecutor locks;

	private final WorkExecutor executor;

	CompletionStageInvoker(AsyncLockExecutor locks, WorkExecutor executor) {
		this.locks = locks;
		this.executor = executor;
	}

	@Override
	public @Nullable Object run(LockedMethod where, Supplier<LockedInvocation> pending) throws Throwable {
		LockedInvocation call;
		try {
			call = pending.get();
			if (!call.wanted().isEmpty()) {
				return new Work(where, call.decorated(DetachedInvocation::of)).begin();
			}
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return call.invocation().proceed();
	}

	/** One call. */
	private final class Work {

		private final LockedMethod where;

		private final LockedInvocation call;

		private final List<HeldLock> outer = LockContext.all();

		private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

		/**
		 * Whether the body has begun, or never will: whoever sets it gives the locks
		 * back.
		 */
		private final AtomicBoolean decided = new AtomicBoolean();

		Work(LockedMethod where, LockedInvocation call) {
			this.where = where;
			this.call = call;
		}

		CompletableFuture<@Nullable Object> begin() {
			AsyncAnswerOfLocks[] entry = new AsyncAnswerOfLocks[1];
			Runnable body = CallerContext.wrap(() -> entered(entry[0]));
			CompletableFuture<AsyncAnswerOfLocks> waiting = CompletionStageInvoker.this.locks.take(this.call,
					this.outer);
			waiting.whenComplete((found, failure) -> {
				if (failure != null) {
					complete(null, failure);
					return;
				}
				entry[0] = found;
				CompletionStageInvoker.this.executor.begin(() -> {
					try {
						body.run();
					}
					catch (Throwable ex) {
						// What carries the context of the caller may fail, too.
						refused(found, ex);
					}
				}, (ex) -> refused(found, ex));
			});
			this.result.whenComplete((value, failure) -> CompletionStageInvoker.this.locks.giveUp(waiting));
			return this.result;
		}

		private void entered(AsyncAnswerOfLocks entry) {
			if (this.result.isDone()) {
				// Cancelled before the work began: it need not begin.
				refused(entry, new CancellationException());
				return;
			}
			if (!this.decided.compareAndSet(false, true)) {
				return;
			}
			// From here on the locks are given back by leave, and by nothing else.
			try (LockContext.Scope scope = LockContext.openAll(this.outer)) {
				AsyncResult.present((CompletionStage<?>) AsyncResult.of(this.call, entry), this.where)
					.whenComplete((value, failure) -> leave(entry, value, failure));
			}
			catch (Throwable ex) {
				leave(entry, null, ex);
			}
		}

		/** The body cannot begin, unless it has. */
		private void refused(AsyncAnswerOfLocks entry, Throwable reason) {
			if (this.decided.compareAndSet(false, true)) {
				CompletionStageInvoker.this.locks.giveBack(this.call, AsyncResult.locks(entry),
						() -> complete(null, reason));
			}
		}

		private void leave(AsyncAnswerOfLocks entry, @Nullable Object value, @Nullable Throwable failure) {
			Throwable own = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
					: failure;
			CompletionStageInvoker.this.locks.leave(AsyncResult.locks(entry), own,
					(outcome) -> complete(value, (failure != null) ? failure : outcome));
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
