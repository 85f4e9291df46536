package io.github.distlock.environment;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * What the engine takes from the machine. Each method has the contract of the class of
 * the JDK that it stands for. Thread-safe.
 */
public interface EngineEnvironment {

	/** Much longer than any store takes to end a command. */
	Duration LONGEST_WAIT = Duration.ofMinutes(2);

	/** The machine. */
	EngineEnvironment SYSTEM = of(TimeSource.SYSTEM);

	/**
	 * Return the machine with other clocks.
	 * @param clock the clocks
	 * @return the environment
	 */
	static EngineEnvironment of(TimeSource clock) {
		return () -> clock;
	}

	/**
	 * Return the clocks of this JVM.
	 * @return the clocks
	 */
	TimeSource clock();

	/**
	 * Return the time that passes while a thread is parked. The clocks of a test may
	 * stand still meanwhile.
	 * @return nanoseconds, of arbitrary origin
	 */
	default long waitingNanos() {
		return TimeSource.SYSTEM.nanoTime();
	}

	/**
	 * Return the generator of random delays. Any thread may use it.
	 * @return the generator
	 */
	default RandomGenerator random() {
		return () -> ThreadLocalRandom.current().nextLong();
	}

	/**
	 * Return a globally unique text of 64 random bits. It is short because it is part of
	 * every command, and has no capital letters because those mark kinds of tickets.
	 * @return digits and small letters, 13 at most
	 */
	default String newInstanceId() {
		return Long.toUnsignedString(new SecureRandom().nextLong(), Character.MAX_RADIX);
	}

	/**
	 * Create the threads of one run of a registry, which shuts them down.
	 * @return the threads
	 */
	default EngineThreads newThreads() {
		return EngineThreads.create();
	}

	/**
	 * Run a task on a new thread.
	 * @param name the name of the thread
	 * @param task the task
	 */
	default void startThread(String name, Runnable task) {
		LockThreads.named(name).newThread(task).start();
	}

	/**
	 * Create a reentrant lock for the state of the engine.
	 * @return the lock
	 */
	default Lock newLock() {
		return new ReentrantLock();
	}

	/**
	 * Park the calling thread, as {@link LockSupport#parkNanos(Object, long)} does.
	 * @param blocker what the thread waits for
	 * @param nanos the longest time
	 */
	default void park(Object blocker, long nanos) {
		LockSupport.parkNanos(blocker, nanos);
	}

	/**
	 * Wait until a stage has ended. An interrupt does not end the wait: the flag is set
	 * again afterwards. A thread of a {@code ForkJoinPool} runs no other tasks meanwhile,
	 * as it would in {@link CompletableFuture#join()}: they would re-enter its locks.
	 * @param <T> the type of the result
	 * @param stage the stage, which its store ends by a time-out. If an error of a driver
	 * prevents that, the wait fails after two minutes
	 * @return the result
	 * @throws CompletionException with the failure of the stage
	 */
	default <T> T await(CompletionStage<T> stage) {
		return await(stage, LONGEST_WAIT);
	}

	/**
	 * The same, for a limited time.
	 * @param <T> the type of the result
	 * @param stage the stage
	 * @param limit the longest time
	 * @return the result
	 * @throws CompletionException with the failure of the stage, or with a
	 * {@link TimeoutException}
	 */
	default <T> T await(CompletionStage<T> stage, Duration limit) {
		CompletableFuture<T> end = stage.toCompletableFuture();
		if (!end.isDone()) {
			Thread waiting = Thread.currentThread();
			end.whenComplete((result, failure) -> unpark(waiting));
			boolean interrupted = false;
			long start = waitingNanos();
			long left = limit.toNanos();
			while (!end.isDone() && left > 0) {
				park(end, left);
				interrupted |= Thread.interrupted();
				left = limit.toNanos() - (waitingNanos() - start);
			}
			if (interrupted) {
				waiting.interrupt();
			}
		}
		if (!end.isDone()) {
			throw new CompletionException(new TimeoutException("The driver has not ended a command within " + limit));
		}
		return end.join();
	}

	/**
	 * End the park of a thread, as {@link LockSupport#unpark} does.
	 * @param thread the thread
	 */
	default void unpark(Thread thread) {
		LockSupport.unpark(thread);
	}

	/**
	 * Return what checks the invariants of the engine at the end of each event. The tests
	 * of this library and its simulation have one.
	 * @return the check, {@code null} if the invariants are not checked
	 */
	default @Nullable Invariants invariants() {
		return null;
	}

	/**
	 * Notes the invariants that do not hold. Called under locks of the engine, on any
	 * thread. It must not throw: the engine would handle that as an error of the event,
	 * and repair what the event left.
	 */
	interface Invariants {

		/**
		 * Note an invariant if it does not hold.
		 * @param holds whether it holds
		 * @param invariant the invariant, in words
		 * @param subject the key or the ticket
		 */
		void check(boolean holds, String invariant, Object subject);

	}

}
