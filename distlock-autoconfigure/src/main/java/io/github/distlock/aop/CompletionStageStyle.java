package io.github.distlock.aop;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
final class CompletionStageStyle implements CallStyle {

	private final AsyncLocks locks;

	private final Executor executor;

	CompletionStageStyle(AsyncLocks locks, Executor executor) {
		this.locks = locks;
		this.executor = executor;
	}

	@Override
	public @Nullable Object run(LockedMethod where, Supplier<LockedCall> pending) throws Throwable {
		LockedCall call;
		try {
			call = pending.get();
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return call.wanted().isEmpty() ? call.invocation().proceed()
				: new Work(where, call.decorated(DetachedInvocation::of)).begin();
	}

	/** One call. */
	private final class Work {

		private final LockedMethod where;

		private final LockedCall call;

		private final List<HeldLock> outer = LockContext.all();

		private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

		Work(LockedMethod where, LockedCall call) {
			this.where = where;
			this.call = call;
		}

		CompletableFuture<@Nullable Object> begin() {
			CompletableFuture<AsyncEntry> waiting = CompletionStageStyle.this.locks.take(this.call, this.outer);
			this.result.whenComplete((value, failure) -> CompletionStageStyle.this.locks.giveUp(waiting));
			AsyncEntry[] entry = new AsyncEntry[1];
			Runnable body = CallerContext.wrap(() -> entered(entry[0]));
			waiting.whenComplete((found, failure) -> {
				if (failure != null) {
					this.result.completeExceptionally(failure);
					return;
				}
				entry[0] = found;
				try {
					CompletionStageStyle.this.executor.execute(body);
				}
				catch (RejectedExecutionException ex) {
					leave(found, null, ex);
				}
			});
			return this.result;
		}

		private void entered(AsyncEntry entry) {
			if (this.result.isDone()) {
				// Cancelled before the work began: it need not begin.
				leave(entry, null, new CancellationException());
				return;
			}
			CompletionStage<?> stage;
			LockContext.Scope scope = LockContext.openAll(this.outer);
			try {
				stage = AsyncResult.present((CompletionStage<?>) AsyncResult.of(this.call, entry), this.where);
			}
			catch (Throwable ex) {
				leave(entry, null, ex);
				return;
			}
			finally {
				scope.close();
			}
			stage.whenComplete((value, failure) -> leave(entry, value, failure));
		}

		private void leave(AsyncEntry entry, @Nullable Object value, @Nullable Throwable failure) {
			Throwable own = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
					: failure;
			CompletionStageStyle.this.locks.leave(AsyncResult.locks(entry), own,
					(outcome) -> complete(value, (failure != null) ? failure : outcome));
		}

		/** What depends on the result may block: not on a thread of ours. */
		private void complete(@Nullable Object value, @Nullable Throwable failure) {
			Runnable completion = () -> {
				if (failure != null) {
					this.result.completeExceptionally(failure);
				}
				else {
					this.result.complete(value);
				}
			};
			try {
				CompletionStageStyle.this.executor.execute(completion);
			}
			catch (RejectedExecutionException ex) {
				// Shut down, or full: nobody else is there to tell.
				completion.run();
			}
		}

	}

}
