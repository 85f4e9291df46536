package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import io.github.distlock.LockListener;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.engine.HandOffLimits;

/**
 * Starts registries with a JDBC store.
 */
final class JdbcRegistries {

	private JdbcRegistries() {
	}

	/** The registry of a JVM in the mode {@code lease}. */
	static BackendLockRegistry lease(DataSource pool, Duration waitTime, Duration lease, LockListener... listeners) {
		return start(JdbcBackend.lease(pool, JdbcUnderTest.SETTINGS, TimeSource.SYSTEM), waitTime, lease,
				Duration.ofMillis(50), listeners);
	}

	static BackendLockRegistry start(LockBackend backend, Duration waitTime, Duration lease, Duration handOff,
			LockListener... listeners) {
		BackendLockRegistry registry = CheckedEnvironment
			.registry(
					backend, TestSettings.of(waitTime, lease, null, new HandOffLimits(16, handOff),
							Duration.ofSeconds(10), false, Duration.ofSeconds(1)),
					List.of(listeners), TimeSource.SYSTEM);
		registry.start();
		return registry;
	}

}
