package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The connections of the locks: a small pool beside that of the application, with the
 * same configuration. So no lock command waits for the application, and no statement
 * joins one of its transactions. Where the data source may be more than a pool with a URL
 * (JTA, JNDI, routing), its connections are used, one for each command.
 */
final class LockPool implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockPool.class);

	private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			LockPool.class.getClassLoader());

	/** The mode row waits for a row for 3 s in one statement, which ends before this. */
	private static final Duration LONGEST_ROW_WAIT = Duration.ofSeconds(4);

	private final DataSource application;

	private final JdbcBackendSettings settings;

	/** After which time a session of the own pool ends a statement by itself. */
	private final Duration sessionLimit;

	/** Own pool, {@code null} if connections of the application are used. */
	private final @Nullable HikariLocks own;

	/** By the connection of the driver. Each is used by one thread at a time. */
	private final Map<Connection, Map<String, PreparedStatement>> prepared = new ConcurrentHashMap<>();

	private volatile @Nullable DatabaseInfo databaseInfo;

	/** Whether PostgreSQL may keep statements. Reset for good by a pooler. */
	private volatile boolean statementsKept = true;

	/**
	 * Create a pool. Opens no connection yet.
	 * @param application the data source of the application
	 * @param size the number of connections
	 * @param idle how many of them wait to be used
	 */
	LockPool(DataSource application, JdbcBackendSettings settings, int size, int idle) {
		this.application = application;
		this.settings = settings;
		this.sessionLimit = settings.commandTimeout().plus(LONGEST_ROW_WAIT);
		this.own = ownPool(application, settings, size, idle);
	}

	private static @Nullable HikariLocks ownPool(DataSource application, JdbcBackendSettings settings, int size,
			int idle) {
		Supplier<HikariDataSource> source = HIKARI ? HikariLocks.source(application) : null;
		return (source != null) ? new HikariLocks(source, size, idle, settings.commandTimeout()) : null;
	}

	/** Log whose connections the locks use, if they are not their own. */
	void report() {
		if (this.own == null) {
			logger.info("Locks use connections of the DataSource of the application ("
					+ this.application.getClass().getName() + "), since a pool of their own cannot be made from it: a"
					+ " release waits for a connection like the application's own callers. Set"
					+ " distlock.jdbc.data-source to the name of a DataSource bean with a URL to change that");
		}
	}

	/**
	 * Take a connection, in at most 7/8 of the command time-out if the pool is an own
	 * one.
	 * @param transaction whether several statements will run in one transaction
	 * @param limit how long this may take, including the first statement
	 */
	LockConnection open(boolean transaction, Duration limit) throws SQLException {
		long begin = System.nanoTime();
		Connection connection = ((this.own != null) ? this.own : this.application).getConnection();
		return prepare(connection, transaction, limit.minusNanos(System.nanoTime() - begin));
	}

	/**
	 * Open one more connection, with the same configuration, for the time until it is
	 * closed.
	 */
	LockConnection openBeside(Duration limit) throws SQLException {
		return prepare((this.own != null) ? this.own.openBeside() : this.application.getConnection(), false, limit);
	}

	private LockConnection prepare(Connection connection, boolean transaction, Duration limit) throws SQLException {
		try {
			DatabaseInfo info = detectDatabase(connection);
			if (!this.statementsKept) {
				PostgreSqlListener.keepNoStatements(connection);
			}
			LockConnection opened = new LockConnection(this, connection, info.limitsNetwork(), limit);
			if (this.own != null) {
				opened.limitSession(this.sessionLimit);
			}
			if (info.needsReadCommitted() && (transaction || !info.dialect().statementsIgnoreIsolation())) {
				opened.readCommitted();
			}
			return opened;
		}
		catch (Throwable ex) {
			discard(connection);
			throw ex;
		}
	}

	/** Return the statements that a connection of the own pool keeps, by their names. */
	Map<String, PreparedStatement> prepared(Connection driver) {
		Map<String, PreparedStatement> kept = this.prepared.get(driver);
		if (kept == null) {
			kept = new HashMap<>();
			// The pool may have parted with others meanwhile.
			this.prepared.keySet().removeIf(LockPool::isClosed);
			this.prepared.put(driver, kept);
		}
		return kept;
	}

	private static boolean isClosed(Connection connection) {
		try {
			return connection.isClosed();
		}
		catch (SQLException ex) {
			return true;
		}
	}

	/** Whether connections go back to a pool that does not restore their settings. */
	boolean isForeign() {
		return this.own == null;
	}

	/**
	 * Return whether the thread of a caller may use a connection: the pool is an own one,
	 * and the driver uses plain sockets, which ignore an interrupt of a platform thread,
	 * and limits how long it waits for an answer.
	 */
	boolean isPlain() {
		String url = (this.own != null && this.own.getJdbcUrl() != null) ? this.own.getJdbcUrl() : "";
		String options = (url + ((this.own != null) ? this.own.getDataSourceProperties().keySet() : ""))
			.toLowerCase(Locale.ROOT);
		return url.matches("jdbc:(postgresql|mariadb|mysql):.*") && !options.contains("socketfactory")
				&& !options.contains("localsocket") && !options.contains("pipe");
	}

	/**
	 * Part with all connections: the database has ended their sessions, or has changed.
	 */
	void databaseFailed() {
		if (this.own != null) {
			this.own.evictAll();
		}
	}

	/** Let no session of PostgreSQL keep statements from now on. */
	void keepNoStatements(Throwable reason) {
		if (this.statementsKept && PostgreSqlListener.isSupported()) {
			this.statementsKept = false;
			logger
				.info("Lock commands use no prepared statements of the server from now on, as with prepareThreshold=0:"
						+ " another session answered than the one that has prepared them, as behind a pooler in transaction"
						+ " mode (" + JdbcExceptionTranslator.describe(reason) + ")");
		}
		databaseFailed();
	}

	/** Cut a connection off, so that no pool lends it again. Never fails. */
	void discard(Connection connection) {
		try {
			if (this.own != null && this.own.evict(connection)) {
				// Not aborted: MariaDB does that by a connection of its own.
				return;
			}
			connection.abort(Runnable::run);
			// Some pools notice that a connection is broken when a call fails, but not
			// when an aborted connection is closed.
			connection.getAutoCommit();
		}
		catch (SQLException | RuntimeException | AbstractMethodError ex) {
			logger.trace("A connection is broken already, or its driver cannot abort it", ex);
		}
		try {
			connection.close();
		}
		catch (SQLException | RuntimeException ex) {
			logger.trace("A connection could not be closed: it is broken already", ex);
		}
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
		return DatabaseLocation.describe((info != null) ? info.dialect() : null, url);
	}

	private DatabaseInfo detectDatabase(Connection connection) throws SQLException {
		DatabaseInfo info = this.databaseInfo;
		if (info == null) {
			DatabaseMetaData database = connection.getMetaData();
			JdbcDialect dialect = JdbcDialect.of(database);
			info = new DatabaseInfo(dialect, new SqlStatements(dialect, this.settings.tables()), database.getURL(),
					connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED,
					limitsNetwork(connection));
			this.databaseInfo = info;
		}
		return info;
	}

	/** H2 accepts the time-out and ignores it. */
	private boolean limitsNetwork(Connection connection) {
		try {
			int before = connection.getNetworkTimeout();
			int millis = (int) this.settings.commandTimeout().toMillis();
			connection.setNetworkTimeout(Runnable::run, millis);
			boolean limits = connection.getNetworkTimeout() == millis;
			connection.setNetworkTimeout(Runnable::run, before);
			return limits;
		}
		catch (SQLException | AbstractMethodError ex) {
			return false;
		}
	}

	/** Create the exception for a command that got no connection in time. */
	LockBackendException noConnection(String action, @Nullable String key, @Nullable Throwable cause) {
		String remedy = (this.own != null)
				? "all connections of the locks are in use: increase distlock.jdbc.pool-size (mode lease) or"
						+ " distlock.jdbc.max-connections (mode row)"
				: "all connections of the DataSource are in use, for example by callers inside transactions: increase"
						+ " the size of its pool, or set distlock.jdbc.data-source";
		// The pool names its own wait, and its cause is why it has no connection.
		Throwable reason = (cause instanceof SQLTransientConnectionException && cause.getCause() != null)
				? cause.getCause() : cause;
		return new LockBackendException(
				"No connection to " + location() + " was available for the " + action
						+ JdbcExceptionTranslator.lock(key) + " within " + this.settings.commandTimeout()
						+ ((reason != null) ? " (" + JdbcExceptionTranslator.describe(reason) + ")" : "")
						+ ": the database is not reachable or does not answer in time, or " + remedy,
				JdbcExceptionTranslator.withoutCredentials(cause));
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

	private record DatabaseInfo(JdbcDialect dialect, SqlStatements statements, @Nullable String url,
			boolean needsReadCommitted, boolean limitsNetwork) {
	}

}
