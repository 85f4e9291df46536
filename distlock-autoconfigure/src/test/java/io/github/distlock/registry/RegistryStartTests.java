package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.thread.LockTimers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A registry that cannot start.
 */
class RegistryStartTests {

	private final BackendLockRegistry registry = new BackendLockRegistry(new Store(),
			RedisNodes.settings(Duration.ofSeconds(30)), List::of, new Machine(), LockObservers.NONE);

	private boolean refuses;

	private boolean open;

	private boolean closed;

	private @Nullable EngineThreads threads;

	@Test
	void theStoreIsClosedIfAnErrorEndsTheStart() {
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.registry::start);
		assertThat(this.closed).isTrue();
	}

	@Test
	void aStartThatTheStoreRefusesLeavesNoTimerThread() {
		this.refuses = true;
		assertThatIllegalStateException().isThrownBy(this.registry::start).withMessage("refused");
		LockTimers timers = Objects.requireNonNull(this.threads).timers();
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> timers.schedule(() -> {
		}, 0));
	}

	/** It fails with an error when the store is open. */
	private final class Machine implements EngineEnvironment {

		@Override
		public TimeSource clock() {
			return TimeSource.SYSTEM;
		}

		@Override
		public EngineThreads newThreads() {
			RegistryStartTests.this.threads = EngineEnvironment.super.newThreads();
			return RegistryStartTests.this.threads;
		}

		@Override
		public Lock newLock() {
			if (RegistryStartTests.this.open) {
				throw new OutOfMemoryError("simulated");
			}
			return new ReentrantLock();
		}

	}

	private final class Store extends IdleStore {

		@Override
		public LockStore open(StoreContext context) {
			if (RegistryStartTests.this.refuses) {
				throw new IllegalStateException("refused");
			}
			RegistryStartTests.this.open = true;
			return this;
		}

		@Override
		public void close() {
			RegistryStartTests.this.closed = true;
		}

	}

}
