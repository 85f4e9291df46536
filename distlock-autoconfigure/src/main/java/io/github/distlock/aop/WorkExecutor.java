package io.github.distlock.aop;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Where the body of a method runs that returns a {@code CompletionStage}, and what
 * depends on its result.
 * <p>
 * A thread for each of them, unless the application says otherwise: the work of one call
 * never waits for a thread that another call holds while it waits for that work.
 */
public final class WorkExecutor {

	/** Refuses nothing, and runs nothing on the thread that calls it. */
	private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("distlock-work-");

	private final @Nullable Executor bodies;

	private WorkExecutor(boolean virtual, @Nullable Executor bodies) {
		this.threads.setVirtualThreads(virtual);
		this.bodies = bodies;
	}

	/**
	 * Run bodies on threads of their own.
	 * @param virtual whether these are virtual threads
	 * @param bodies where bodies run instead; may refuse them, block, or run them on the
	 * thread that calls it
	 * @return the executor
	 */
	public static WorkExecutor of(boolean virtual, @Nullable Executor bodies) {
		return new WorkExecutor(virtual, bodies);
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
				this.threads.execute(body);
			}
			else {
				// Code of the application, which may block: not on the thread of a grant.
				this.threads.execute(() -> handOver(chosen, body, refused));
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
			this.threads.execute(completion);
		}
		catch (RuntimeException | Error ex) {
			// No thread to be had: nobody else is there to tell.
			completion.run();
		}
	}

}
