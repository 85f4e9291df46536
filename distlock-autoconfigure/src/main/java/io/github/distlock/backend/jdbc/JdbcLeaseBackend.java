package io.github.distlock.backend.jdbc;

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
 * Locks as rows of a table, each with an owner and a lease that ends by the clock of the
 * database. The unique key of the table makes a row the lock. An attempt is one
 * statement, in a transaction and on a connection of the store's own. A waiting JVM
 * polls; on PostgreSQL it is also notified of a release. Thread-safe.
 */
public final class JdbcLeaseBackend implements LockBackend {

	/** Maximum number of renewals in one command. */
	private static final int BATCH_SIZE = 100;

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
	public JdbcLeaseBackend(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		this.dataSource = dataSource;
		this.settings = settings;
		this.clock = clock;
		this.description = new BackendDescription("jdbc", Set.of(LockMode.EXCLUSIVE), false, true,
				settings.tokensPerGrant(), settings.commandTimeout(), BATCH_SIZE);
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
		// One more, to listen to notifications.
		LockPool pool = new LockPool(this.dataSource, this.settings, this.settings.poolSize() + 1,
				this.settings.poolSize());
		return new JdbcLeaseStore(pool, this.settings, this.description, context, this.clock);
	}

}
