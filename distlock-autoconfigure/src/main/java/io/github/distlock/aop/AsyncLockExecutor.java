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
 * Acquires and releases the locks of asynchronous calls on its own threads. The thread of
 * the caller may be an event loop, and the threads of the application may all wait for
 * the lock that is released. No code of the application runs on the threads of this
 * class. No method blocks.
 */
final class AsyncLockExecutor {

	/** Threads that release: each waits for the answer of one command. */
	private static final int THREADS = 8;

	private static final long IDLE_SECONDS = 30;

	/**
	 * Never shut down, so that it rejects no task: its threads are daemons that end when
	 * they are idle. Its queue has no lock for which an event loop would have to wait.
	 */
	private final ThreadPoolExecutor threads;

	AsyncLockExecutor(@Nullable ClassLoader beanClassLoader) {
		this.threads = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedTransferQueue<>(), LockThreads.numbered("distlock-async-", beanClassLoader));
		this.threads.allowCoreThreadTimeOut(true);
		this.threads.prestartAllCoreThreads();
	}

	/**
	 * Acquire all locks of a call.
	 * @param call the call, which needs at least one lock
	 * @param outer what surrounds the call
	 * @return completes on a thread that must not block
	 */
	CompletableFuture<AsyncLockSequence.AsyncOutcome> acquire(LockedCall call, CallerScope outer) {
		AsyncLockSequence sequence = new AsyncLockSequence(call, outer, this);
		this.threads.execute(sequence::next);
		return sequence.result();
	}

	/** Cancel a wait. */
	void cancel(CompletableFuture<?> waiting) {
		if (!waiting.isDone()) {
			executeAnyway(() -> waiting.cancel(false));
		}
	}

	/**
	 * Release locks in reverse order.
	 * @param locks in the order in which they were acquired
	 * @param failure the failure of the work; problems of the release are added to it
	 * @param then called on a thread that must not block, with the failure of the work or
	 * of the release, such as {@link io.github.distlock.LockLostException}
	 */
	void release(List<HeldLock> locks, @Nullable Throwable failure, Consumer<@Nullable Throwable> then) {
		if (locks.isEmpty()) {
			then.accept(failure);
		}
		else {
			executeAnyway(() -> then.accept(LockRelease.release(locks, HeldLock::close, failure)));
		}
	}

	/**
	 * Release locks under which nothing was done.
	 * @param locks in the order in which they were acquired
	 * @param then called on a thread that must not block
	 */
	void abandon(List<HeldLock> locks, Runnable then) {
		if (locks.isEmpty()) {
			then.run();
		}
		else {
			executeAnyway(() -> {
				LockRelease.abandon(locks);
				then.run();
			});
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
