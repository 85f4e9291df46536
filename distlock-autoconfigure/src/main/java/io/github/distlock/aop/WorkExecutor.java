package io.github.distlock.aop;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * Where the body of a method runs that returns a {@code CompletionStage}, and what
 * depends on its result.
 * <p>
 * A thread for each of them, unless the application says otherwise: the work of one call
 * never waits for a thread that another call holds while it waits for that work.
 */
public final class WorkExecutor {

	/** A new thread for each task, so that no task waits for another one. */
	private final LockThreads threads;

	private final @Nullable Executor bodies;

	private WorkExecutor(LockThreads threads, @Nullable Executor bodies) {
		this.threads = threads;
		this.bodies = bodies;
	}

	/**
	 * Run bodies on threads of their own.
	 * @param virtual whether these are virtual threads
	 * @param bodies where bodies run instead; may refuse them, block, or run them on the
	 * thread that calls it
	 * @param beanClassLoader context class loader of the threads where no caller has one
	 * @return the executor
	 */
	public static WorkExecutor of(boolean virtual, @Nullable Executor bodies, @Nullable ClassLoader beanClassLoader) {
		LockThreads threads = LockThreads.numbered("distlock-work-", beanClassLoader);
		return new WorkExecutor(virtual ? threads.virtual() : threads, bodies);
	}

	/**
	 * Begin the body of a call. Does not block.
	 * @param body throws nothing
	 * @param refused told if it cannot begin, and perhaps although it has begun: an
	 * executor may fail afterwards
	 */
	void begin(Runnable body, Consumer<Throwable> refused) {
		Executor chosen = this.bodies;
		try {
			if (chosen == null) {
				this.threads.newThread(body).start();
			}
			else {
				// Code of the application, which may block: not on the thread of a grant.
				this.threads.newThread(() -> handOver(chosen, body, refused)).start();
			}
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
	 * Tell what the work has ended with. Does not block if there is a thread to be had.
	 * @param completion runs what depends on it
	 */
	void end(Runnable completion) {
		try {
			this.threads.newThread(completion).start();
		}
		catch (RuntimeException | Error ex) {
			// No thread to be had: nobody else is there to tell.
			completion.run();
		}
	}

}
