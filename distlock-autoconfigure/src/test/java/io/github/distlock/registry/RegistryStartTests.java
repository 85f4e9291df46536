package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.contract.ForwardingBackend;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A registry that cannot start.
 */
class RegistryStartTests {

	private final AtomicBoolean open = new AtomicBoolean();

	private final AtomicBoolean closed = new AtomicBoolean();

	@Test
	void theStoreIsClosedIfAnErrorEndsTheStart() {
		BackendLockRegistry registry = new BackendLockRegistry(new FailingBackend(),
				TestSettings.of(Duration.ofSeconds(10), Duration.ofSeconds(30), null, TestSettings.NO_HAND_OFF,
						Duration.ofSeconds(10), false, Duration.ZERO),
				List::of, new FailingEnvironment(), LockObservers.NONE);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(registry::start);
		assertThat(this.closed).isTrue();
	}

	/** It fails with an error when the store is open. */
	private final class FailingEnvironment implements EngineEnvironment {

		@Override
		public TimeSource clock() {
			return TimeSource.SYSTEM;
		}

		@Override
		public Lock newLock() {
			if (RegistryStartTests.this.open.get()) {
				throw new OutOfMemoryError("simulated");
			}
			return new ReentrantLock();
		}

	}

	private final class FailingBackend extends ForwardingBackend {

		FailingBackend() {
			super(new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM));
		}

		@Override
		public LockStore open(StoreContext context) {
			RegistryStartTests.this.open.set(true);
			return new ForwardingStore(super.open(context)) {

				@Override
				public void close() {
					super.close();
					RegistryStartTests.this.closed.set(true);
				}

			};
		}

	}

}
