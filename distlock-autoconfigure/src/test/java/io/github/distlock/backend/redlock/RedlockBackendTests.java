package io.github.distlock.backend.redlock;

import java.time.Duration;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract, on five Redis masters.
 */
class RedlockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return new RedlockTestStore();
	}

	/**
	 * Five Redis masters under the contract. They count from their start, since the
	 * leases of the contract are too long to wait for.
	 */
	private static final class RedlockTestStore implements StoreUnderTest {

		/** Longer than all leases of the contract, one of which is an hour. */
		private static final Duration LONGEST_LEASE = Duration.ofHours(2);

		private final RedlockCluster cluster = new RedlockCluster(5);

		@Override
		public LockBackend newBackend(TimeSource clock) {
			Duration timeout = RedlockParticipant.TIMEOUT;
			return new RedlockBackend(this.cluster.trusted(timeout),
					new RedlockSettings("distlock:", timeout, LONGEST_LEASE, 17), clock);
		}

		@Override
		public void clear() {
			this.cluster.ask("FLUSHALL");
		}

		@Override
		public long items() {
			return this.cluster.keys();
		}

		@Override
		public Duration memory() {
			return Duration.ofSeconds(11);
		}

		/**
		 * Callers that ask at the same time can prevent each other's majority, and ask
		 * again. On a busy machine that takes long.
		 */
		@Override
		public Duration patience() {
			return Duration.ofMinutes(1);
		}

		/** Shorter than the leases of the cases in which it matters. */
		@Override
		public Duration settling() {
			return Duration.ofSeconds(20);
		}

		@Override
		public void close() {
			this.cluster.close();
		}

	}

}
