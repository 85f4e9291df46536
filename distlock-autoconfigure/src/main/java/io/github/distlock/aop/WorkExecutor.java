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
	 * @param body throws nothing
	 * @param refused called if the body cannot begin; may also be called after the body
	 * has begun, because an executor may fail afterwards
	 */
	void begin(Runnable body, Consumer<Throwable> refused) {
		Executor chosen = this.bodies;
		try {
			// The executor of the application may block, so it is not called on the
			// thread of a grant.
			Runnable task = (chosen != null) ? () -> handOver(chosen, body, refused) : body;
			this.threads.newThread(task).start();
		}
		catch (RuntimeException | Error ex) {
			refused.accept(ex);
		}
	}

	private static void handOver(Executor chosen, Runnable body, Consumer<Throwable> refused) {
		try {
			chosen.execute(body);
		}
		catch (RuntimeException | Error ex) {
			refused.accept(ex);
		}
	}

	/**
	 * Complete the result of a call. Does not block if a thread can be created.
	 * @param completion completes the result and runs the code that depends on it
	 */
	void end(Runnable completion) {
		try {
			this.threads.newThread(completion).start();
		}
		catch (RuntimeException | Error ex) {
			// Without a thread, only this one can complete the result.
			completion.run();
		}
	}

}
