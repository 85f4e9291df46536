package io.github.distlock.integration;

import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.aop.KeyText;

import org.springframework.integration.support.locks.LockRegistry;

/**
 * Spring Integration's {@link LockRegistry} over a
 * {@link io.github.distlock.LockRegistry}: leader initiators, aggregators and file locks
 * run on any store. Thread-safe.
 * <p>
 * The lock of a key is the one that {@link io.github.distlock.LockRegistry#obtain}
 * returns for the text of the key, so code that uses the registry directly shares it. The
 * watchdog renews it.
 */
public final class IntegrationLockRegistry implements LockRegistry<Lock> {

	private final io.github.distlock.LockRegistry registry;

	/**
	 * Create the registry.
	 * @param registry acquires the locks
	 */
	public IntegrationLockRegistry(io.github.distlock.LockRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Return the lock of a key. It sends no command and holds nothing.
	 * <p>
	 * {@code unlock()} throws {@link ConcurrentModificationException} if the lock was
	 * lost, as the registries of Spring Integration do. A thread that acquires a lock
	 * again which it has lost, and not unlocked, gets {@link LockLostException}.
	 * @param lockKey the key: its text is locked, as in a key expression
	 * @return the lock, which has no conditions; locks of one key are equal
	 * @throws LockDefinitionException if the key has no text that is the same in every
	 * JVM, or the text is no valid key
	 */
	@Override
	public Lock obtain(Object lockKey) {
		String key = KeyText.of(lockKey, "The key of a lock of Spring Integration ", LockDefinitionException::new);
		return new IntegrationLock(this.registry.obtain(key));
	}

	private record IntegrationLock(Lock view) implements Lock {

		@Override
		public void lock() {
			this.view.lock();
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			this.view.lockInterruptibly();
		}

		@Override
		public boolean tryLock() {
			return this.view.tryLock();
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return this.view.tryLock(time, unit);
		}

		@Override
		public void unlock() {
			try {
				this.view.unlock();
			}
			catch (LockLostException ex) {
				throw new ConcurrentModificationException(ex.getMessage(), ex);
			}
		}

		@Override
		public Condition newCondition() {
			return this.view.newCondition();
		}

	}

}
