package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.Set;

import javax.sql.DataSource;

import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;

/**
 * Locks in a relational database, on connections of the store's own. Thread-safe.
 * <p>
 * In the mode {@code lease} locks are rows of a table, each with an owner and a lease
 * that ends by the clock of the database. The unique key of the table makes a row the
 * lock. An attempt is one statement in a transaction. A waiting JVM polls; on PostgreSQL
 * it is also notified of a release.
 * <p>
 * In the mode {@code connection} locks are locks of the database itself: advisory locks
 * on PostgreSQL, row locks elsewhere. A holder keeps a transaction open, and the database
 * ends it when the process of the holder dies. Waiting tickets wait in the database.
 */
public final class JdbcBackend implements LockBackend {

	/** Maximum number of renewals in one command. */
	private static final int BATCH_SIZE = 100;

	private final DataSource dataSource;

	private final JdbcBackendSettings settings;

	private final TimeSource clock;

	private final boolean connected;

	private final BackendDescription description;

	private JdbcBackend(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock, boolean connected) {
		this.dataSource = dataSource;
		this.settings = settings;
		this.clock = clock;
		this.connected = connected;
		// The mode connection has one token, so that a lock is never passed on inside the
		// JVM: the database may have ended the session of the holder and granted the lock
		// to another JVM, which only a command can detect. It has no stray delay: a
		// command that runs late runs in a transaction that has ended.
		this.description = new BackendDescription("jdbc", Set.of(LockMode.EXCLUSIVE), false, !connected,
				connected ? 1 : settings.tokensPerGrant(), connected ? Duration.ZERO : settings.commandTimeout(),
				BATCH_SIZE);
	}

	/**
	 * Create a backend of the mode {@code lease}. Sends nothing yet.
	 * @param dataSource the data source of the database
	 * @param settings the settings of the store
	 * @param clock the source of time
	 * @return the backend
	 */
	public static JdbcBackend lease(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		return new JdbcBackend(dataSource, settings, clock, false);
	}

	/**
	 * Create a backend of the mode {@code connection}. Sends nothing yet.
	 * @param dataSource the data source of the database
	 * @param settings the settings of the store
	 * @param clock the source of time
	 * @return the backend
	 */
	public static JdbcBackend connection(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		return new JdbcBackend(dataSource, settings, clock, true);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public LockStore open(StoreContext context) {
		// One connection more: for a listener to notifications, or for commands.
		int size = this.connected ? this.settings.maxConnections() : this.settings.poolSize();
		LockPool pool = new LockPool(this.dataSource, this.settings, size + 1, this.connected ? 1 : size,
				this.connected ? "connection" : "lease");
		return this.connected ? new JdbcConnectionStore(pool, this.settings, context, this.clock)
				: new JdbcLeaseStore(pool, this.settings, context, this.clock);
	}

}
