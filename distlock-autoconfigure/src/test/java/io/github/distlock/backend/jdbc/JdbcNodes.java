package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockListener;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.TestSettings;

/**
 * Closes the nodes, registries and pools of a test, the last one first.
 */
final class JdbcNodes implements AutoCloseable {

	private final Deque<AutoCloseable> open = new ArrayDeque<>();

	<T extends AutoCloseable> T closing(T resource) {
		this.open.push(resource);
		return resource;
	}

	/** A node in the mode {@code lease}, with a pool of its own. */
	JdbcNode lease(HikariDataSource pool) {
		return closing(JdbcNode.lease(closing(pool)));
	}

	JdbcNode lease(HikariDataSource pool, TableNames tables) {
		return closing(JdbcNode.lease(closing(pool), tables));
	}

	/** A node in the mode {@code connection}, with a pool of its own. */
	JdbcNode connection(HikariDataSource pool) {
		return connection(pool, 10);
	}

	JdbcNode connection(HikariDataSource pool, int connections) {
		return closing(JdbcNode.connection(closing(pool), connections));
	}

	/** A node whose tickets name an application, with a pool of its own. */
	JdbcNode named(HikariDataSource pool, String prefix, boolean connected) {
		return closing(JdbcNode.named(closing(pool), prefix, connected));
	}

	/** The registry of a JVM in the mode {@code lease}. */
	BackendLockRegistry registry(DataSource pool, Duration waitTime, Duration lease, LockListener... listeners) {
		return registry(JdbcBackend.lease(pool, JdbcUnderTest.SETTINGS, TimeSource.SYSTEM), waitTime, lease,
				Duration.ofMillis(50), listeners);
	}

	BackendLockRegistry registry(LockBackend backend, Duration waitTime, Duration lease, Duration handOff,
			LockListener... listeners) {
		BackendLockRegistry registry = CheckedEnvironment
			.registry(
					backend, TestSettings.of(waitTime, lease, null, new HandOffLimits(16, handOff),
							Duration.ofSeconds(10), false, Duration.ofSeconds(1)),
					List.of(listeners), TimeSource.SYSTEM);
		registry.start();
		closing(registry::shutdown);
		return registry;
	}

	@Override
	public void close() throws Exception {
		while (!this.open.isEmpty()) {
			this.open.pop().close();
		}
	}

}
