package io.github.distlock.testing;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.github.distlock.LockListener;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The machine, with an engine that checks its invariants. If one does not hold, the test
 * that runs at that time fails.
 */
public interface CheckedEnvironment extends EngineEnvironment {

	static CheckedEnvironment of(TimeSource clock) {
		return () -> clock;
	}

	/** The machine whose keys have locks of the test. */
	static CheckedEnvironment withLocks(Supplier<Lock> locks) {
		return new CheckedEnvironment() {

			@Override
			public TimeSource clock() {
				return TimeSource.SYSTEM;
			}

			@Override
			public Lock newLock() {
				return locks.get();
			}

		};
	}

	/** The machine, where no timer runs: nothing happens because time passes. */
	static CheckedEnvironment withoutTimers(TimeSource clock) {
		return new CheckedEnvironment() {

			@Override
			public TimeSource clock() {
				return clock;
			}

			@Override
			public EngineThreads newThreads() {
				EngineThreads threads = CheckedEnvironment.super.newThreads();
				threads.timers().stop();
				return threads;
			}

		};
	}

	/** A registry that checks its invariants. */
	static BackendLockRegistry registry(LockBackend backend, RegistrySettings settings, List<LockListener> listeners,
			TimeSource clock) {
		return new BackendLockRegistry(backend, settings, () -> listeners, of(clock), LockObservers.NONE);
	}

	@Override
	default Invariants invariants() {
		return BrokenInvariants::note;
	}

	/** An extension of each test: the service file names it. */
	final class BrokenInvariants implements AfterEachCallback {

		private static final Queue<String> BROKEN = new ConcurrentLinkedQueue<>();

		static void note(boolean holds, String invariant, Object subject) {
			if (!holds) {
				BROKEN.add(invariant + ": " + subject);
			}
		}

		@Override
		public void afterEach(ExtensionContext context) {
			try {
				assertThat(BROKEN).as("invariants of the engine that did not hold").isEmpty();
			}
			finally {
				BROKEN.clear();
			}
		}

	}

}
