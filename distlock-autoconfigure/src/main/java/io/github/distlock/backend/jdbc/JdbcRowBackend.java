package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.Set;

import javax.sql.DataSource;

import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;

/**
 * Locks as row locks of the database: who has one keeps a transaction open, on one of the
 * store's connections, and the database ends it when its process dies. Waiters wait in
 * the database, on threads of the store. Thread-safe.
 */
public final class JdbcRowBackend implements LockBackend {

	private static final int BATCH_SIZE = 100;

	/**
	 * One: a lock is never passed on inside the JVM. The database may have ended the
	 * holder's session and let another JVM in, which only a command finds out.
	 */
	static final int TOKENS = 1;

	private final DataSource dataSource;

	private final JdbcBackendSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	/**
	 * Create the store. Sends nothing yet.
	 * @param dataSource the database
	 * @param settings how to work
	 * @param clock the time
	 */
	public JdbcRowBackend(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		this.dataSource = dataSource;
		this.settings = settings;
		this.clock = clock;
		// What runs too late runs in a transaction that nobody keeps.
		this.description = new BackendDescription("jdbc", Set.of(LockMode.EXCLUSIVE), false, false, TOKENS,
				Duration.ZERO, BATCH_SIZE);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void validateKey(String key) {
		LockKeys.validate(key);
	}

	@Override
	public LockStore open(StoreContext context) {
		return new JdbcRowStore(JdbcResources.row(this.dataSource, this.settings, this.clock), this.settings,
				this.description, context.signals());
	}

}
