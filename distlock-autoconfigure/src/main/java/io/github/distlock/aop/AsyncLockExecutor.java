package io.github.distlock.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.distlock.HeldLock;
import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * Takes the locks of asynchronous calls and gives them back, on threads of its own: the
 * caller's may be an event loop, and the application's may all be waiting for the very
 * lock that is to be given back. No code of the application runs on them.
 */
final class AsyncLockExecutor {

	/** A release waits for the answer of one command. */
	private static final int THREADS = 8;

	private static final long IDLE_SECONDS = 30;

	/**
	 * Never shut down, and daemons that end when idle: it refuses nothing. Its queue has
	 * no lock that an event loop would have to wait for.
	 */
	private final ThreadPoolExecutor threads;

	AsyncLockExecutor(@Nullable ClassLoader beanClassLoader) {
		this.threads = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedTransferQueue<>(), LockThreads.numbered("distlock-async-", beanClassLoader));
		this.threads.allowCoreThreadTimeOut(true);
		this.threads.prestartAllCoreThreads();
	}

	/**
	 * Take all locks of a call. Does not block.
	 * @param call the call
	 * @param outer the locks under which it was called
	 * @return completes on a thread that must not block
	 */
	CompletableFuture<AsyncAnswerOfLocks> take(LockedInvocation call, List<HeldLock> outer) {
		AsyncLockSequence wait = new AsyncLockSequence(call, outer, this);
		this.threads.execute(wait::goOn);
		return wait.result();
	}

	/**
	 * Give up a wait. Does not block.
	 */
	void giveUp(CompletableFuture<AsyncAnswerOfLocks> waiting) {
		if (!waiting.isDone()) {
			executeAnyway(() -> waiting.cancel(false));
		}
	}

	/**
	 * Give locks back, in reverse order. Does not block.
	 * @param locks in the order in which they were taken
	 * @param failure what the work ended with; problems of the release are added to it
	 * @param then told, on a thread that must not block, what the work ends with now: its
	 * failure, or {@link io.github.distlock.LockLostException}
	 */
	void leave(List<HeldLock> locks, @Nullable Throwable failure, Consumer<@Nullable Throwable> then) {
		if (locks.isEmpty()) {
			then.accept(failure);
		}
		else {
			executeAnyway(() -> then.accept(close(locks, failure)));
		}
	}

	/**
	 * Give locks back under which nothing was done. Does not block.
	 * @param call the call that they were for
	 * @param locks in the order in which they were taken
	 * @param then told, on a thread that must not block
	 */
	void giveBack(LockedInvocation call, List<HeldLock> locks, Runnable then) {
		if (locks.isEmpty()) {
			then.run();
		}
		else {
			executeAnyway(() -> {
				call.giveBack(locks);
				then.run();
			});
		}
	}

	/**
	 * Without a thread the current one blocks for one command: otherwise the lock would
	 * stay held.
	 */
	private void executeAnyway(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (RuntimeException | Error ex) {
			task.run();
		}
	}

	private static @Nullable Throwable close(List<HeldLock> locks, @Nullable Throwable failure) {
		try {
			if (failure != null) {
				LockRelease.CLOSING.afterFailure(locks, failure);
			}
			else {
				LockRelease.CLOSING.afterReturn(locks);
			}
			return failure;
		}
		catch (Throwable problem) {
			return problem;
		}
	}

}
