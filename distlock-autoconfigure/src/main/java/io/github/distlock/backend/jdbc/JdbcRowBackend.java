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
 * Locks as row locks of the database. A holder keeps a transaction open, on a connection
 * of the store, and the database ends the transaction when the process of the holder
 * dies. Waiting tickets wait in the database, on threads of the store. Thread-safe.
 */
public final class JdbcRowBackend implements LockBackend {

	/** Maximum number of renewals in one command. */
	private static final int BATCH_SIZE = 100;

	/**
	 * Tokens of a grant. One, so that a lock is never passed on inside the JVM: the
	 * database may have ended the session of the holder and granted the lock to another
	 * JVM, which only a command can detect.
	 */
	static final int TOKENS = 1;

	private final DataSource dataSource;

	private final JdbcBackendSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	/**
	 * Create the backend. Sends nothing yet.
	 * @param dataSource the data source of the database
	 * @param settings the settings of the store
	 * @param clock the source of time
	 */
	public JdbcRowBackend(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		this.dataSource = dataSource;
		this.settings = settings;
		this.clock = clock;
		// No stray delay: a command that runs late runs in a transaction that has ended.
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
		LockPool pool = new LockPool(this.dataSource, this.settings, this.settings.maxConnections() + 1, 1);
		return new JdbcRowStore(pool, this.settings, this.description, context, this.clock);
	}

}
