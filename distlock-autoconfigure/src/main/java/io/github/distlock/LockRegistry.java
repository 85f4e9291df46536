package io.github.distlock;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/**
 * The way to locks from code. Thread-safe. Locks of one registry are reentrant: a thread
 * that holds a key gets it again at once, without a command to the store; the outermost
 * request decides the lease. What a thread holds, no other thread enters through a
 * {@link LockContext} that was carried there.
 * <p>
 * All methods throw {@link LockDefinitionException} for a key that is blank, longer than
 * 512 bytes or not valid Unicode, and {@link LockBackendException} when the store cannot
 * be reached or the registry has been shut down.
 */
public interface LockRegistry {

	/**
	 * Return a view of the lock of a key as a {@link Lock}. It sends nothing and holds
	 * nothing; views of one key are interchangeable. The lock is owned by a thread and
	 * renewed by the watchdog. {@code lock()} waits for ever, {@code tryLock()} tries
	 * once; {@code lockInterruptibly()} and {@code tryLock(time, unit)} throw
	 * {@link InterruptedException}; {@code unlock()} throws
	 * {@link IllegalMonitorStateException} if the thread does not hold the lock and
	 * {@link LockLostException} if it was lost; {@code newCondition()} is not supported.
	 * <p>
	 * {@code tryLock()} does not wait in any queue, so a loop that calls it until it
	 * succeeds may starve beside callers that wait: use {@code tryLock(time, unit)}.
	 * {@code lockInterruptibly()} and {@code tryLock(time, unit)} also throw if the
	 * thread holds the lock already and its interrupt flag is set.
	 * <p>
	 * An interrupt ends a wait at once, but not a command that is on its way to the
	 * store. While the store is silent it takes effect at the end of the command
	 * time-out.
	 * @param key what is locked
	 * @return the lock
	 */
	Lock obtain(String key);

	/**
	 * Wait for the lock and take it. Blocks; interruptible, but while a command is on its
	 * way to a silent store an interrupt takes effect at the end of the command time-out.
	 * @param request what to lock and how
	 * @return the lock, to be closed
	 * @throws LockNotAcquiredException if the wait time has passed, or if the thread was
	 * interrupted: then the cause is an {@link InterruptedException} and the interrupt
	 * flag is set
	 */
	HeldLock acquire(LockRequest request);

	/**
	 * Wait for the lock and take it, or go on without it. Blocks; interruptible.
	 * @param request what to lock and how
	 * @return the lock, to be closed, or nothing if the wait time has passed
	 * @throws LockNotAcquiredException if the thread was interrupted: the cause is an
	 * {@link InterruptedException} and the interrupt flag is set
	 */
	Optional<HeldLock> tryAcquire(LockRequest request);

	/**
	 * Wait for the lock without a thread. The lock belongs to no thread: whoever has it
	 * may close it, and only code whose {@link LockContext} has it enters it again, on
	 * whatever thread. Cancelling the future gives up the wait. Dependent stages run on a
	 * thread of the library and must not block.
	 * @param request what to lock and how
	 * @return completes with the lock, or with what {@link #acquire} would throw
	 */
	CompletableFuture<HeldLock> acquireAsync(LockRequest request);

	/**
	 * Wait for the lock without a thread, or go on without it: as {@link #acquireAsync},
	 * for those to whom the lack of the lock is no error.
	 * @param request what to lock and how
	 * @return completes with the lock, with nothing if the wait time has passed, or with
	 * what {@link #tryAcquire} would throw
	 */
	CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request);

	/**
	 * Take the lock, run an action, release the lock. Blocks; interruptible.
	 * @param <T> type of the result
	 * @param request what to lock and how
	 * @param action what to run
	 * @return the result of the action
	 * @throws LockNotAcquiredException as {@link #acquire} does
	 * @throws LockLostException if the lock was lost before the action returned
	 * @throws Exception whatever the action throws, unchanged
	 */
	<T> T execute(LockRequest request, Callable<T> action) throws Exception;

}
