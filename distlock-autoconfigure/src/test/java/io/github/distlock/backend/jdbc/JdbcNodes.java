package io.github.distlock.backend.jdbc;

import java.util.ArrayDeque;
import java.util.Deque;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;

/**
 * Closes the nodes and pools of a test, the last one first.
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

	@Override
	public void close() throws Exception {
		while (!this.open.isEmpty()) {
			this.open.pop().close();
		}
	}

}
