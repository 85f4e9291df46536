package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The JDBC store of the contract tests, in one of the modes. Each JVM has its own pool.
 */
final class JdbcUnderTest implements StoreUnderTest {

	static final JdbcBackendSettings SETTINGS = settings("distlock:", JdbcNode.COMMAND, 80);

	static final JdbcBackendSettings CONNECTION_SETTINGS = connectionSettings(80);

	private final TestDatabase database;

	private final boolean connected;

	/** An idle pool keeps its connections for half a minute, and a server has a limit. */
	private final Map<LockBackend, HikariDataSource> pools = new ConcurrentHashMap<>();

	private JdbcUnderTest(TestDatabase database, boolean connected) {
		this.database = database;
		this.connected = connected;
	}

	static JdbcBackendSettings connectionSettings(int connections) {
		return settings(JdbcNode.CONNECTION_PREFIX, JdbcNode.COMMAND, connections);
	}

	static JdbcBackendSettings settings(String prefix, Duration command, int connections) {
		return new JdbcBackendSettings(prefix, command, Duration.ofMillis(100), 17, 3, connections, true,
				TableNames.DEFAULT, "");
	}

	static JdbcUnderTest lease(TestDatabase database) {
		return new JdbcUnderTest(database, false);
	}

	static JdbcUnderTest connection(TestDatabase database) {
		return new JdbcUnderTest(database, true);
	}

	@Override
	public LockBackend newBackend(TimeSource clock) {
		HikariDataSource pool = this.database.pool(2);
		LockBackend backend = this.connected ? JdbcBackend.connection(pool, CONNECTION_SETTINGS, clock)
				: JdbcBackend.lease(pool, SETTINGS, clock);
		this.pools.put(backend, pool);
		return backend;
	}

	@Override
	public void ended(LockBackend backend) {
		HikariDataSource pool = this.pools.remove(backend);
		if (pool != null) {
			pool.close();
		}
	}

	@Override
	public void clear() {
		this.database.direct().execute("DELETE FROM distlock_lock");
	}

	@Override
	public long items() {
		// Without the notes of ended grants, which outlive the leases of other tests.
		return this.database.direct()
			.queryForList("SELECT lock_key FROM distlock_lock", byte[].class)
			.stream()
			.filter((key) -> key[0] != 1)
			.count();
	}

	@Override
	public Duration memory() {
		return Duration.ofSeconds(16);
	}

	@Override
	public void close() {
		this.pools.values().forEach(HikariDataSource::close);
	}

}
