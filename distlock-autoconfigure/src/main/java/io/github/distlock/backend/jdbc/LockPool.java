package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.jdbc.JdbcExceptionTranslator.DatabaseText;
import io.github.distlock.backend.jdbc.LockConnection.SqlStatements;
import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.StringUtils;

/**
 * The connections of the locks: a small pool beside that of the application, with the
 * same configuration. So no lock command waits for the application, and no statement
 * joins one of its transactions. Where the application has no pool of HikariCP, its
 * connections are used, one for each command, and get their settings back.
 */
final class LockPool implements AutoCloseable {

	private static final Log logger = LockLog.of(LockPool.class);

	private static final String POOL_FOR_LOCKS = "Declare a pool for the locks, @Bean(defaultCandidate = false)"
			+ " HikariDataSource lockDataSource(), and set distlock.jdbc.data-source=lockDataSource";

	/** Minimum interval between new connections because a database is read-only. */
	private static final long READ_ONLY_NANOS = Duration.ofMillis(500).toNanos();

	private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			LockPool.class.getClassLoader());

	/**
	 * The mode connection waits for a row for 3 s, and the statement ends before this.
	 */
	private static final Duration LONGEST_ROW_WAIT = Duration.ofSeconds(4);

	private final DataSource application;

	private final JdbcBackendSettings settings;

	/** The pool of the store, {@code null} if connections of the application are used. */
	private final @Nullable HikariLocks own;

	/**
	 * The prepared statements of the connections of that pool, by the connection of the
	 * driver: preparing costs a round trip in H2. Each is used by one thread at a time.
	 * The references are soft, since the pool does not tell which connections it has
	 * closed.
	 */
	private final Map<Connection, Map<String, PreparedStatement>> prepared = new ConcurrentReferenceHashMap<>();

	private final String mode;

	private volatile @Nullable DatabaseInfo databaseInfo;

	/** Whether the database was found to distinguish an empty text from {@code NULL}. */
	private volatile boolean checked;

	/** Not before this time connections to a read-only database are replaced. */
	private volatile long readOnlyNanos = System.nanoTime();

	/**
	 * Create a pool. Opens no connection yet.
	 * @param application the data source of the application
	 * @param size the number of connections
	 * @param idle how many of them wait to be used
	 * @param mode the mode of the store
	 */
	LockPool(DataSource application, JdbcBackendSettings settings, int size, int idle, String mode) {
		// A lazy connection that gets no target could only be cut off with a healthy one.
		this.application = (application instanceof LazyConnectionDataSourceProxy lazy
				&& lazy.getTargetDataSource() != null) ? lazy.getTargetDataSource() : application;
		this.settings = settings;
		this.mode = mode;
		HikariDataSource pool = HIKARI ? HikariLocks.find(application) : null;
		this.own = (pool != null) ? new HikariLocks(pool, size, idle, settings.commandTimeout()) : null;
		if (pool == null) {
			logger.warn("Locks use connections of the DataSource of the application ("
					+ application.getClass().getName() + "), which is no single pool of HikariCP: releases wait for a"
					+ " connection, and callers inside transactions may come to a standstill. " + POOL_FOR_LOCKS);
		}
	}

	/** Take over what the application has changed. Called at intervals. */
	void follow() {
		if (this.own != null) {
			this.own.follow(this.application);
		}
	}

	/**
	 * Take a connection, in at most 7/8 of the command time-out if the pool belongs to
	 * the store.
	 * @param limit how long this may take, including the first statement
	 */
	LockConnection open(Duration limit) throws SQLException {
		long begin = System.nanoTime();
		Connection lent = ((this.own != null) ? this.own : this.application).getConnection();
		try {
			DatabaseInfo info = detectDatabase(lent);
			Connection driver = (this.own != null) ? lent.unwrap(Connection.class) : lent;
			Map<String, PreparedStatement> kept = this.prepared.get(driver);
			Map<String, PreparedStatement> statements = (kept != null) ? kept : new HashMap<>();
			LockConnection opened = new LockConnection(this, lent, driver, statements, info.isolation());
			opened.limit(limit.minusNanos(System.nanoTime() - begin));
			if (!this.checked
					&& opened.query("emptyIsNull", Map.of(), (row, number) -> row.getBoolean(1)).contains(true)) {
				throw new StoreUnusableException(location() + " takes an empty text for NULL, so no lock could be"
						+ " released. H2 does so in MODE=Oracle, MariaDB if sql_mode has EMPTY_STRING_IS_NULL: remove"
						+ " that, or use another database", null);
			}
			this.checked = true;
			if (this.own != null && kept == null) {
				Duration longest = this.settings.commandTimeout().plus(LONGEST_ROW_WAIT);
				if (opened.prepareSession(longest, this.settings.rowWait(), this.mode, this.settings.keyPrefix())) {
					throw new StoreUnusableException("Locks of the modes 'lease' and 'connection' do not exclude each"
							+ " other, and a JVM of the other mode than distlock.jdbc.mode=" + this.mode + " uses "
							+ location() + ": stop those JVMs first, or set another distlock.key-prefix", null);
				}
				this.prepared.put(driver, statements);
			}
			return opened;
		}
		catch (SQLException | RuntimeException | Error ex) {
			discard(lent);
			throw ex;
		}
	}

	/** Say how the table is made. */
	String script() {
		DatabaseInfo info = this.databaseInfo;
		return "run io/github/distlock/backend/jdbc/schema-"
				+ ((info != null) ? info.dialect().platform() : "<database>") + ".sql of the distlock jar"
				+ (this.settings.creation().isEmpty() ? ", or set distlock.jdbc.initialize-schema=always"
						: " as a user that may create it");
	}

	/** Whether connections go back to a pool that does not restore their settings. */
	boolean isForeign() {
		return this.own == null;
	}

	/**
	 * Return whether the thread of a caller may use a connection: the pool belongs to the
	 * store, and the driver uses plain sockets, which ignore an interrupt of a platform
	 * thread, and limits how long it waits for an answer.
	 */
	boolean isPlain() {
		return this.own != null && this.own.hasPlainSockets();
	}

	/**
	 * A statement has failed. If the database has ended its session, or takes no writes
	 * as a former primary does, the pool parts with all connections. For a read-only
	 * database it does so at intervals only: it may stay read-only.
	 * @return whether the connection must not be used again
	 */
	boolean failed(SQLException failure) {
		boolean tooEarly = JdbcExceptionTranslator.isReadOnly(failure) && System.nanoTime() - this.readOnlyNanos < 0;
		if (JdbcExceptionTranslator.isDatabaseFailure(failure) && !tooEarly) {
			this.readOnlyNanos = System.nanoTime() + READ_ONLY_NANOS;
			HikariPoolMXBean pool = (this.own != null) ? this.own.getHikariPoolMXBean() : null;
			if (pool != null) {
				pool.softEvictConnections();
			}
		}
		return !tooEarly && !JdbcExceptionTranslator.isRefusal(failure);
	}

	/** Cut a connection off, so that no pool lends it again. Never fails. */
	void discard(Connection lent) {
		if (this.own != null) {
			// Not aborted: MariaDB does that by a connection of its own.
			this.own.evictConnection(lent);
			return;
		}
		try {
			lent.abort(Runnable::run);
			// Some pools notice that a connection is broken when a call fails, but not
			// when an aborted connection is closed.
			lent.getAutoCommit();
		}
		catch (SQLException ex) {
			logger.debug("A connection is broken", ex);
		}
		JdbcUtils.closeConnection(lent);
	}

	/** Return the database. Known after the first connection. */
	JdbcDialect dialect() {
		return Objects.requireNonNull(this.databaseInfo).dialect();
	}

	/** Return the statements for the database. Known after the first connection. */
	SqlStatements statements() {
		return Objects.requireNonNull(this.databaseInfo).statements();
	}

	/** Return the name and the URL of the database, as far as they are known. */
	String location() {
		DatabaseInfo info = this.databaseInfo;
		String url = (info != null) ? info.url() : (this.own != null) ? this.own.getJdbcUrl() : null;
		return DatabaseText.location((info != null) ? info.dialect() : null, url);
	}

	private DatabaseInfo detectDatabase(Connection connection) throws SQLException {
		DatabaseInfo info = this.databaseInfo;
		if (info == null) {
			DatabaseMetaData database = connection.getMetaData();
			JdbcDialect dialect = JdbcDialect.of(database);
			info = new DatabaseInfo(dialect, new SqlStatements(dialect, this.settings.tables()), database.getURL(),
					connection.getTransactionIsolation());
			this.databaseInfo = info;
			if (String.valueOf(info.url()).startsWith("jdbc:h2:mem:")) {
				logger.warn("Locks in " + location()
						+ " do not exclude other JVMs, each of which has a database of its own"
						+ " in memory. For several JVMs use jdbc:h2:file:...;AUTO_SERVER=TRUE, or another database");
			}
		}
		return info;
	}

	/**
	 * Create the exception for a command that got no connection, or no answer, in time.
	 */
	LockBackendException noAnswer(String action, @Nullable String key, @Nullable Throwable cause) {
		// The pool names its own wait, and its cause is why it has no connection.
		Throwable refusal = (cause instanceof SQLTransientConnectionException) ? cause.getCause() : null;
		Throwable reason = (refusal != null) ? refusal : cause;
		String problem = (reason != null) ? JdbcExceptionTranslator.refusal(reason) : null;
		if (problem == null) {
			problem = " did not answer within " + this.settings.commandTimeout()
					+ ((reason != null) ? " (" + JdbcExceptionTranslator.describe(reason) + ")" : "")
					+ ": check that it runs and is reachable"
					+ ((refusal != null) ? "" : (this.own == null)
							? ", and whether all connections of the DataSource are in use, such as inside"
									+ " transactions. " + POOL_FOR_LOCKS
							: ". If all connections of the locks are in use, increase distlock.jdbc.pool-size (mode"
									+ " lease) or distlock.jdbc.max-connections (mode connection)");
		}
		return new LockBackendException(StringUtils.capitalize(location()) + problem + ". The " + action
				+ JdbcExceptionTranslator.lock(key) + " failed", JdbcExceptionTranslator.withoutCredentials(cause));
	}

	/**
	 * Close the connections. A pool waits for its connections for up to ten seconds if
	 * the database does not answer; this method does not.
	 */
	@Override
	public void close() {
		if (this.own == null) {
			return;
		}
		Thread closing = LockThreads.numbered("distlock-jdbc-close-").newThread(this.own::close);
		closing.start();
		try {
			closing.join(this.settings.commandTimeout().toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * What the first connection tells.
	 *
	 * @param isolation the isolation level of a connection that is not in use
	 */
	private record DatabaseInfo(JdbcDialect dialect, SqlStatements statements, @Nullable String url, int isolation) {
	}

}
