package io.github.distlock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.distlock.LockContext;
import io.github.distlock.LockException;
import io.github.distlock.observation.LockedWork;
import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases the locks of asynchronous calls on its own threads. The thread of
 * the caller may be an event loop, and the threads of the application may all wait for
 * the lock that is released. No code of the application runs on the threads of this
 * class. No method blocks.
 */
final class AsyncLockExecutor {

	/** Threads that release: each waits for the answer of one command. */
	private static final int THREADS = 8;

	private static final long IDLE_SECONDS = 30;

	private final ThreadPoolExecutor threads;

	AsyncLockExecutor(@Nullable ClassLoader beanClassLoader) {
		this.threads = threads(THREADS, "distlock-async-", beanClassLoader);
		this.threads.prestartAllCoreThreads();
	}

	/**
	 * Create an executor that is never shut down, so that it rejects no task: its threads
	 * are daemons that end when they are idle. Its queue has no lock for which an event
	 * loop would have to wait.
	 */
	static ThreadPoolExecutor threads(int size, String prefix, @Nullable ClassLoader beanClassLoader) {
		ThreadPoolExecutor threads = new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedTransferQueue<>(), LockThreads.numbered(prefix, beanClassLoader));
		threads.allowCoreThreadTimeOut(true);
		return threads;
	}

	/**
	 * Acquire all locks of a call, one after the other, without a waiting thread.
	 * @param call the call, which needs at least one lock
	 * @param outer what surrounds the call
	 * @return the same call, with all locks or without any; completes on a thread that
	 * must not block. Cancelling it ends the wait: no lock stays held then
	 */
	CompletableFuture<LockedCall> acquire(LockedCall call, CallerScope outer) {
		CompletableFuture<LockedCall> result = new CompletableFuture<>();
		this.threads.execute(() -> next(call, outer, result));
		return result;
	}

	/**
	 * Request the next lock, or complete the result if all locks are acquired. A step
	 * begins when the future of the step before is complete, so no two steps run at the
	 * same time, and each sees the changes of the steps before.
	 */
	private void next(LockedCall call, CallerScope outer, CompletableFuture<LockedCall> result) {
		try (LockContext.Scope scope = outer.open()) {
			if (!result.isDone()) {
				if (call.needsLock()) {
					await(call.acquireAsync(), call, outer, result);
					return;
				}
				call.begin();
			}
		}
		catch (RuntimeException | Error ex) {
			fail(call, result, ex);
			return;
		}
		if (!result.complete(call)) {
			// Cancelled or failed, perhaps in the moment of the grant: nothing else
			// releases the locks.
			abandon(call, () -> {
			});
		}
	}

	private void await(CompletableFuture<?> answer, LockedCall call, CallerScope outer,
			CompletableFuture<LockedCall> result) {
		// Must come first: nothing else releases a lock that the answer contains.
		answer.whenComplete((granted, failure) -> {
			boolean added = false;
			Throwable problem = failure;
			try {
				added = failure == null && call.add(granted);
			}
			catch (RuntimeException ex) {
				problem = ex;
			}
			if (added) {
				next(call, outer, result);
			}
			else {
				fail(call, result, problem);
			}
		});
		result.whenComplete((outcome, failure) -> {
			if (result.isCancelled()) {
				answer.cancel(false);
			}
		});
	}

	/** Release the locks and report why, {@code null} if the call is skipped. */
	private void fail(LockedCall call, CompletableFuture<LockedCall> result, @Nullable Throwable failure) {
		Throwable cause = LockedWork.ownFailure(failure);
		boolean refused = cause == null || cause instanceof LockException;
		if (refused) {
			call.refused((LockException) cause);
		}
		abandon(call, () -> {
			if (refused) {
				result.complete(call);
			}
			else {
				result.completeExceptionally(cause);
			}
		});
	}

	/** Cancel a wait. */
	void cancel(CompletableFuture<?> waiting) {
		if (!waiting.isDone()) {
			executeAnyway(() -> waiting.cancel(false));
		}
	}

	/**
	 * Release the locks of a call.
	 * @param call the call, whose work has ended
	 * @param failure the failure of the work; problems of the release are added to it
	 * @param then called on a thread that must not block, with the failure of the work or
	 * of the release, such as {@link io.github.distlock.LockLostException}
	 */
	void release(LockedCall call, @Nullable Throwable failure, Consumer<@Nullable Throwable> then) {
		end(call, () -> then.accept(call.release(failure)));
	}

	/**
	 * Release locks under which nothing was done.
	 * @param call the call, whose work has not begun
	 * @param then called on a thread that must not block
	 */
	void abandon(LockedCall call, Runnable then) {
		end(call, () -> {
			call.abandon();
			then.run();
		});
	}

	/** A call without locks has nothing to wait for. */
	private void end(LockedCall call, Runnable end) {
		if (call.acquired().isEmpty()) {
			end.run();
		}
		else {
			executeAnyway(end);
		}
	}

	/**
	 * If no thread can be created, the current thread blocks for one command: otherwise
	 * the lock would stay held.
	 */
	private void executeAnyway(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (RuntimeException | Error ex) {
			task.run();
		}
	}

}
