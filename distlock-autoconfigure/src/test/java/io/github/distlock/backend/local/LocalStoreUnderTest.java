package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.StoreUnderTest;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * The local store, for the contract.
 */
final class LocalStoreUnderTest implements StoreUnderTest {

	private final Map<String, LocalLock> locks = new ConcurrentHashMap<>();

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM, this.locks);

	@Override
	public LockBackend newBackend(TimeSource clock) {
		return new LocalLockBackend(this.store, 17, clock);
	}

	/** Loses the last fencing token, too, as a server that starts empty does. */
	@Override
	public void clear() {
		ReentrantLock lock = Objects.requireNonNull((ReentrantLock) ReflectionTestUtils.getField(this.store, "lock"));
		lock.lock();
		try {
			this.locks.clear();
			ReflectionTestUtils.setField(this.store, "lastToken", 0L);
		}
		finally {
			lock.unlock();
		}
	}

	@Override
	public long items() {
		// Any command finds the leases that have ended.
		this.locks.keySet().forEach((key) -> this.store.execute(key, LocalLock::lastToken));
		return this.locks.size();
	}

	@Override
	public Duration memory() {
		return Duration.ZERO;
	}

	@Override
	public void close() {
	}

}
