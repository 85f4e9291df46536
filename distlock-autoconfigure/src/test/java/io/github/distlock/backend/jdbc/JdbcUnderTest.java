package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The JDBC store of the contract tests, in one of the modes. Each JVM has its own pool.
 */
final class JdbcUnderTest implements StoreUnderTest {

	static final JdbcBackendSettings SETTINGS = new JdbcBackendSettings("distlock:", Duration.ofSeconds(2),
			Duration.ofMillis(100), 80, 17);

	private final TestDatabase database;

	private final boolean rows;

	private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();

	private JdbcUnderTest(TestDatabase database, boolean rows) {
		this.database = database;
		this.rows = rows;
	}

	static JdbcUnderTest lease(TestDatabase database) {
		return new JdbcUnderTest(database, false);
	}

	static JdbcUnderTest row(TestDatabase database) {
		return new JdbcUnderTest(database, true);
	}

	@Override
	public LockBackend newBackend(TimeSource clock) {
		HikariDataSource pool = this.database.pool(82);
		this.pools.add(pool);
		return this.rows ? new JdbcRowBackend(pool, SETTINGS, clock) : new JdbcLeaseBackend(pool, SETTINGS, clock);
	}

	@Override
	public void clear() {
		this.database.direct().execute("DELETE FROM distlock_lock");
	}

	@Override
	public long items() {
		Long count = this.database.direct().queryForObject("SELECT COUNT(*) FROM distlock_lock", Long.class);
		return (count != null) ? count : -1;
	}

	@Override
	public Duration memory() {
		return Duration.ofSeconds(16);
	}

	@Override
	public void close() {
		this.pools.forEach(HikariDataSource::close);
	}

}
