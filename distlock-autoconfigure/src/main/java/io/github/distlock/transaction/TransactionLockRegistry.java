package io.github.distlock.transaction;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.function.BiConsumer;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * The registry of the store {@code transaction}. Callers of this JVM queue in another
 * registry. The one of them that has the lock there takes it in the database, by the
 * transaction that begins next, or in the running one, which ends the lock.
 */
public final class TransactionLockRegistry implements LockRegistry {

	private final LockRegistry registry;

	private final @Nullable LockKeyPrefix keyPrefix;

	private final TransactionFence fence;

	private final TransactionLocks locks;

	private final Duration waitTime;

	private final BiConsumer<Attempted, LockRequest> listeners;

	private final Runnable shutdown;

	/**
	 * Create the registry.
	 * @param registry the locks of this JVM
	 * @param keyPrefix computes the prefixes of keys that have none yet
	 * @param fence listens to the transactions
	 * @param waitTime the wait time of requests without one
	 * @param listeners learn of refusals by the database
	 * @param shutdown shuts down the locks of this JVM
	 */
	public TransactionLockRegistry(LockRegistry registry, @Nullable LockKeyPrefix keyPrefix, TransactionFence fence,
			Duration waitTime, BiConsumer<Attempted, LockRequest> listeners, Runnable shutdown) {
		this.registry = registry;
		this.keyPrefix = keyPrefix;
		this.fence = fence;
		this.locks = Objects.requireNonNull(fence.locks());
		this.waitTime = waitTime;
		this.listeners = listeners;
		this.shutdown = shutdown;
		this.locks.resolve();
	}

	/** Shut down the locks of this JVM, which Spring finds by this method. */
	public void shutdown() {
		this.shutdown.run();
	}

	/**
	 * Return the locks of this JVM.
	 * @return the registry
	 */
	public LockRegistry registry() {
		return this.registry;
	}

	/**
	 * Return why the transaction of a method cannot be its lock.
	 * @param demarcation how it begins
	 * @return the reason and the remedy, {@code null} if it can
	 */
	public @Nullable String problem(Demarcation demarcation) {
		return demarcation.problem(this.fence::takesLocks, this.locks.highestIsolation());
	}

	/**
	 * Return whether a method joins a running transaction, which then keeps its lock.
	 * @param demarcation how its own one begins
	 * @return whether there is one of the same database
	 */
	public boolean joins(Demarcation demarcation) {
		return !demarcation.isAlwaysNew() && FenceListener.isOpen(this.locks);
	}

	/**
	 * Acquire the lock in this JVM for a method whose transaction takes it.
	 * @param request the request, with the prefix of its key
	 * @param skippable whether a lock that is not free is no exception
	 * @return the lock; nothing only if it is skippable
	 */
	public Optional<HeldLock> acquire(LockRequest request, boolean skippable) {
		long startNanos = System.nanoTime();
		Duration wait = Objects.requireNonNullElse(request.waitTime(), this.waitTime);
		Optional<HeldLock> lock = skippable ? this.registry.tryAcquire(request)
				: Optional.of(this.registry.acquire(request));
		lock.ifPresent((held) -> runOrClose(held, () -> this.locks.add(held, request, startNanos, wait, skippable)));
		return lock;
	}

	/**
	 * Refuse a call whose transaction would join one that takes no locks any more.
	 * @param method the method, for the message
	 * @param demarcation how its own one begins
	 */
	public void checkBegin(Object method, Demarcation demarcation) {
		if (!demarcation.isAlwaysNew() && !FenceListener.isOpen(this.locks) && this.locks.isInTransaction()) {
			throw new LockDefinitionException(method + " was called where its transaction would join one that is over"
					+ " or suspended, and that takes no lock any more: make its propagation REQUIRES_NEW");
		}
	}

	/**
	 * Check that a transaction has had a lock.
	 * @param lock the lock, of a call that returns
	 */
	public void checkTaken(HeldLock lock) {
		if (!this.locks.isTaken(lock)) {
			throw new LockDefinitionException("Lock '" + lock.key() + "' was not taken, since the method began no"
					+ " transaction of the DataSource of the store 'transaction'. It has run without the lock");
		}
	}

	/**
	 * Return whether a transaction has refused a lock, and notify the listeners of it.
	 * @param lock the lock
	 * @param failure what ended the call; an equal exception is not the refusal
	 * @return whether it is the refusal
	 */
	public boolean refused(HeldLock lock, Throwable failure) {
		return this.locks.refused(lock, failure, this.listeners);
	}

	/** The running transaction takes the lock, and the action enters it again. */
	@Override
	public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
		if (!FenceListener.isOpen(this.locks)) {
			throw refusal(request.key(),
					"outside of a transaction of its DataSource: begin one, with @Transactional or a"
							+ " TransactionTemplate, and call execute() or tryRun() in it");
		}
		// A blank key stays refused.
		LockRequest whole = request.key().isBlank() ? request : request.prefixed(this.keyPrefix);
		HeldLock lock = acquire(whole, false).orElseThrow();
		runOrClose(lock, () -> TransactionBoundary.closeAfterCompletion(List.of(lock)));
		return this.registry.execute(whole, action);
	}

	/** A lock whose transaction does not close it is closed here. */
	private void runOrClose(HeldLock lock, Runnable step) {
		boolean done = false;
		try {
			step.run();
			done = true;
		}
		catch (LockException ex) {
			refused(lock, ex);
			throw ex;
		}
		finally {
			if (!done) {
				lock.close();
			}
		}
	}

	@Override
	public Lock obtain(String key) {
		throw refusal(key);
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		throw refusal(request.key());
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		throw refusal(request.key());
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		return CompletableFuture.failedFuture(refusal(request.key()));
	}

	@Override
	public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
		return CompletableFuture.failedFuture(refusal(request.key()));
	}

	private static LockDefinitionException refusal(String key) {
		return refusal(key, "by a call that returns it, but only the end of a transaction releases it: use"
				+ " @DistributedLock, execute() or tryRun(), or another store");
	}

	private static LockDefinitionException refusal(String key, String problem) {
		return new LockDefinitionException("Lock '" + key + "' of the store 'transaction' was requested " + problem);
	}

}
