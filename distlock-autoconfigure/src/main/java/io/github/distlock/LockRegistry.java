package io.github.distlock;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Acquires locks from application code. Thread-safe.
 * <p>
 * Locks of one registry are reentrant: a thread that holds a key acquires it again at
 * once, without a command to the store. The outermost request decides the lease. A lock
 * held by a thread is not re-entered by other threads, even if its {@link LockContext}
 * was propagated to them.
 * <p>
 * All methods throw {@link LockDefinitionException} for a key that is blank, longer than
 * 512 bytes or not valid Unicode, and {@link LockBackendException} if the store cannot be
 * reached or the registry has been shut down.
 */
public interface LockRegistry {

	/**
	 * Return a {@link Lock} view of a key. It sends no command and holds nothing; views
	 * of the same key are interchangeable. The lock is owned by a thread and renewed by
	 * the watchdog.
	 * <p>
	 * {@code lock()} waits without a limit, {@code tryLock()} tries once.
	 * {@code lockInterruptibly()} and {@code tryLock(time, unit)} throw
	 * {@link InterruptedException}, even if the thread already holds the lock and its
	 * interrupt flag is set. {@code unlock()} throws {@link IllegalMonitorStateException}
	 * if the thread does not hold the lock, and {@link LockLostException} if the lock was
	 * lost. {@code newCondition()} is not supported.
	 * <p>
	 * A view is never refused because too many callers wait, since it could not say so;
	 * but its callers count ({@link LockRequest#maxWaiting(int)}).
	 * <p>
	 * {@code tryLock()} does not wait in a queue, so a loop that calls it until it
	 * succeeds may starve beside waiting callers: use {@code tryLock(time, unit)}.
	 * <p>
	 * An interrupt ends a wait at once, but it does not end a command that is on its way
	 * to the store. While the store does not answer, the interrupt takes effect when the
	 * command times out.
	 * @param key what to lock
	 * @return the lock
	 */
	Lock obtain(String key);

	/**
	 * Acquire the lock, waiting for it if necessary. Blocks and is interruptible. While a
	 * command is on its way to a store that does not answer, an interrupt takes effect
	 * when the command times out.
	 * @param request what to lock and how
	 * @return the lock, which the caller must close
	 * @throws LockNotAcquiredException if the wait time has passed, if too many callers
	 * of this JVM wait for the key, or if the thread was interrupted: then the cause is
	 * an {@link InterruptedException} and the interrupt flag is set
	 */
	HeldLock acquire(LockRequest request);

	/**
	 * Acquire the lock, waiting for it if necessary, and return nothing if the wait time
	 * has passed or too many callers of this JVM wait for the key. Blocks and is
	 * interruptible.
	 * @param request what to lock and how
	 * @return the lock, which the caller must close, or nothing if it was not acquired
	 * @throws LockNotAcquiredException if the thread was interrupted: the cause is an
	 * {@link InterruptedException} and the interrupt flag is set
	 */
	Optional<HeldLock> tryAcquire(LockRequest request);

	/**
	 * Acquire the lock without blocking a thread while it waits.
	 * <p>
	 * The lock belongs to no thread: any thread may close it, and only code whose
	 * {@link LockContext} contains the lock can enter it again, on any thread. Cancelling
	 * the future, or completing it in another way, ends the wait. Dependent stages run on
	 * a thread of the library and must not block.
	 * @param request what to lock and how
	 * @return a future that completes with the lock, or with an exception that
	 * {@link #acquire} would throw
	 */
	CompletableFuture<HeldLock> acquireAsync(LockRequest request);

	/**
	 * Acquire the lock without blocking a thread, as {@link #acquireAsync} does, and
	 * return nothing if {@link #tryAcquire} would.
	 * @param request what to lock and how
	 * @return a future that completes with the lock, with nothing if it was not acquired,
	 * or with an exception that {@link #tryAcquire} would throw
	 */
	CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request);

	/**
	 * Run an action under the lock: acquire the lock, run the action, release the lock.
	 * Blocks and is interruptible.
	 * @param <T> type of the result
	 * @param request what to lock and how
	 * @param action the action to run
	 * @return the result of the action
	 * @throws LockNotAcquiredException as {@link #acquire} does
	 * @throws LockLostException if the lock was lost before the action returned
	 * @throws LockDefinitionException if the action returned a future that is not done,
	 * another stage or a publisher: its work would continue without the lock
	 * @throws Exception any exception of the action, unchanged
	 */
	<T> T execute(LockRequest request, Callable<T> action) throws Exception;

	/**
	 * Run an action under the lock, as {@link #execute} does, or do not run it if the
	 * wait time has passed or too many callers of this JVM wait for the key. Blocks and
	 * is interruptible.
	 * @param <T> type of the result
	 * @param request what to lock and how
	 * @param action the action to run
	 * @return that the action ran, with its result, or that it did not run, and why
	 * @throws LockNotAcquiredException if the thread was interrupted: the cause is an
	 * {@link InterruptedException} and the interrupt flag is set
	 * @throws LockLostException if the lock was lost before the action returned
	 * @throws LockDefinitionException if the action returned unfinished work, as for
	 * {@link #execute}
	 * @throws Exception any exception of the action, unchanged
	 */
	default <T extends @Nullable Object> RunResult<T> tryRun(LockRequest request, Callable<T> action) throws Exception {
		Assert.notNull(action, "The action that is to run under a lock is null: pass a Callable");
		AtomicBoolean began = new AtomicBoolean();
		try {
			return new RunResult.Ran<>(execute(request, () -> {
				began.set(true);
				return action.call();
			}));
		}
		catch (LockNotAcquiredException ex) {
			// The action may have thrown it, because of another lock.
			if (began.get() || ex.reason() == LockOutcome.INTERRUPTED) {
				throw ex;
			}
			return new RunResult.NotRun<>(ex);
		}
	}

}
