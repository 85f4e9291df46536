package io.github.distlock.aop;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * Runs the bodies of methods that return a {@code CompletionStage}, and the code that
 * depends on their results.
 * <p>
 * Each of them gets a new thread, unless the application provides an executor: the work
 * of one call never waits for a thread that another call occupies while it waits for that
 * work.
 */
public final class WorkExecutor {

	/** Creates a thread for each task, so that no task waits for another one. */
	private final LockThreads threads;

	private final @Nullable Executor bodies;

	private WorkExecutor(LockThreads threads, @Nullable Executor bodies) {
		this.threads = threads;
		this.bodies = bodies;
	}

	/**
	 * Create an executor.
	 * @param virtual whether the new threads are virtual
	 * @param bodies runs bodies instead of new threads; may reject them, block, or run
	 * them on the calling thread
	 * @param beanClassLoader the context class loader of the threads
	 * @return the executor
	 */
	public static WorkExecutor of(boolean virtual, @Nullable Executor bodies, @Nullable ClassLoader beanClassLoader) {
		LockThreads threads = LockThreads.numbered("distlock-work-", beanClassLoader);
		return new WorkExecutor(virtual ? threads.virtual() : threads, bodies);
	}

	/**
	 * Begin the body of a call. Does not block.
	 * @param body the body
	 * @param failed called if the body cannot begin or throws an exception; may be called
	 * twice, because an executor may fail after it has run the body
	 */
	void begin(Runnable body, Consumer<Throwable> failed) {
		Executor chosen = this.bodies;
		Runnable guarded = guarded(body, failed);
		// The executor of the application may block, so it is not called on the thread of
		// a grant.
		Runnable task = (chosen != null) ? guarded(() -> chosen.execute(guarded), failed) : guarded;
		guarded(() -> this.threads.newThread(task).start(), failed).run();
	}

	/**
	 * Complete the result of a call. Does not block if a thread can be created. Without
	 * one, only this thread can complete the result.
	 * @param completion completes the result and runs the code that depends on it
	 */
	void end(Runnable completion) {
		guarded(() -> this.threads.newThread(completion).start(), (ex) -> completion.run()).run();
	}

	private static Runnable guarded(Runnable task, Consumer<Throwable> failed) {
		return () -> {
			try {
				task.run();
			}
			catch (RuntimeException | Error ex) {
				failed.accept(ex);
			}
		};
	}

}
