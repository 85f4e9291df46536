package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;
import org.springframework.test.util.ReflectionTestUtils;

/**
 * The contract of a lock store, on the local store.
 */
class LocalLockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return new LocalStoreUnderTest();
	}

	/**
	 * The local store, for the contract.
	 */
	private static final class LocalStoreUnderTest implements StoreUnderTest {

		private final LocalStore store = new LocalStore(TimeSource.SYSTEM);

		@Override
		public LockBackend newBackend(TimeSource clock) {
			return new LocalLockBackend(this.store, 17, clock);
		}

		/** Loses the last fencing token, too, as a server that starts empty does. */
		@Override
		public void clear() {
			this.store.execute("any", (lock) -> {
				this.store.locks.clear();
				return true;
			});
			ReflectionTestUtils.setField(this.store, "lastToken", 0L);
		}

		@Override
		public long items() {
			// Any command finds the leases that have ended.
			List.copyOf(this.store.locks.keySet()).forEach((key) -> this.store.execute(key, LocalLock::isUnused));
			return this.store.locks.size();
		}

		@Override
		public Duration memory() {
			return Duration.ZERO;
		}

		@Override
		public void close() {
		}

	}

}
