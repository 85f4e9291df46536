package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.backend.jdbc.LockConnection.SqlStatements.Sql;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.RowMapperResultSetExtractor;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.PropertyPlaceholderHelper;
import org.springframework.util.function.ThrowingSupplier;

/**
 * A connection while the store uses it, with auto-commit unless a transaction is open.
 * The network time-out ends a statement that gets no answer. A connection whose statement
 * has failed for another reason than a refusal is cut off when it is closed, since an
 * answer may still arrive. Only one thread may use a connection at a time;
 * {@link #cancel()} is the exception.
 */
final class LockConnection implements AutoCloseable {

	private static final Log logger = LockLog.of(LockConnection.class);

	private static final int VALIDATION_SECONDS = 1;

	private final LockPool pool;

	/** What goes back to the pool. */
	private final Connection lent;

	/** What runs the statements: the driver's own one, unless it is not of our pool. */
	final Connection driver;

	/** The prepared statements, which the next user of the driver's one finds again. */
	private final Map<String, PreparedStatement> prepared;

	/** What a connection of the application gets back. */
	private final boolean originalAutoCommit;

	private final boolean originalReadOnly;

	private final int originalNetworkTimeout;

	private final int originalIsolation;

	/** Whether an earlier session was lost while it ran the same command. */
	boolean repeats;

	/** Whether a transaction may be open. */
	private boolean transactionOpen;

	/** Whether the connection must not be used again. */
	boolean doubtful;

	/**
	 * Reset once: when a statement is cancelled, or before the connection goes back. The
	 * request to cancel may take effect late, on the next statement of the session, so
	 * the connection goes back only if no statement was cancelled.
	 */
	private final AtomicBoolean returnable = new AtomicBoolean(true);

	/** Whether {@link #cancel()} was the one to reset it. */
	private volatile boolean cancelled;

	/** What {@link #cancel()} ends: the last statement. */
	private volatile @Nullable Statement running;

	LockConnection(LockPool pool, Connection lent, Connection driver, Map<String, PreparedStatement> prepared,
			int isolation) throws SQLException {
		this.pool = pool;
		this.lent = lent;
		this.driver = driver;
		this.prepared = prepared;
		this.originalAutoCommit = driver.getAutoCommit();
		this.originalReadOnly = pool.isForeign() && driver.isReadOnly();
		this.originalNetworkTimeout = pool.isForeign() ? driver.getNetworkTimeout() : 0;
		this.originalIsolation = isolation;
		if (!this.originalAutoCommit) {
			driver.setAutoCommit(true);
		}
		if (this.originalReadOnly) {
			driver.setReadOnly(false);
		}
		if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
			driver.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		}
	}

	/**
	 * Prepare a session of the store's pool, once. The server itself ends a statement
	 * that waits for a lock: it does not notice then that its client has gone, and the
	 * sessions that clients have left would add up. On PostgreSQL the session also marks
	 * that a JVM of a mode uses the table.
	 * @param rowWait how long a statement of the mode {@code lease} waits for a row that
	 * another session has locked: less than a command, so that the answer names the cause
	 * @return whether a JVM of the other mode uses it
	 */
	boolean prepareSession(Duration limit, Duration rowWait, String mode, String prefix) throws SQLException {
		SqlStatements statements = this.pool.statements();
		Map<String, Object> values = Map.of("millis", Long.toString(limit.toMillis()), "seconds", limit.toSeconds(),
				"session", session(), "mode", mode, "prefix", prefix);
		if (statements.has("limitSession")) {
			update("limitSession", values);
		}
		if (mode.equals("lease") && statements.has("limitRowWait")) {
			update("limitRowWait", Map.of("millis", rowWait.toMillis(), "seconds", Math.max(1, rowWait.toSeconds())));
		}
		return statements.has("mark") && query("mark", values, (row, number) -> row.getBoolean(1)).contains(true);
	}

	/**
	 * Return the number of the session on PostgreSQL, as the driver knows it, -1 if the
	 * session is not of the own pool.
	 */
	int session() throws SQLException {
		return this.pool.isForeign() ? -1 : PostgreSqlDriver.session(this.driver);
	}

	/** Limit how long a server that does not answer may block the thread. */
	void limit(Duration limit) throws SQLException {
		this.driver.setNetworkTimeout(Runnable::run, (int) Math.max(1, limit.toMillis()));
	}

	/** Begin a transaction that another thread may end. */
	void begin() {
		this.transactionOpen = true;
		call("begin", () -> {
			this.driver.setAutoCommit(false);
			return true;
		});
	}

	/** Commit the open transaction. The next statement starts a new one. */
	void commit() {
		call("commit", () -> {
			this.driver.commit();
			return true;
		});
	}

	/**
	 * Run several statements in one transaction, after which this one is closed. If this
	 * process stops meanwhile, the server ends the transaction: the first statement sets
	 * the limit on PostgreSQL, and the session has it on MariaDB.
	 */
	<T> T inTransaction(Supplier<T> statements) {
		boolean limited = this.pool.statements().has("limitIdle");
		if (limited) {
			update("limitIdle", Map.of());
			// Others must not get a session with the limit.
			this.doubtful = true;
		}
		begin();
		T result = statements.get();
		commit();
		if (limited) {
			update("restoreIdle", Map.of());
			this.doubtful = false;
		}
		return result;
	}

	/** Run a statement and return the number of changed rows, if it changes rows. */
	int update(String statement, Map<String, ?> values) {
		return run(statement, (prepared, sql) -> {
			sql.bind(prepared, values);
			return prepared.execute() ? -1 : prepared.getUpdateCount();
		});
	}

	/**
	 * Run an update for each set of values, in one round trip if the driver can. Returns
	 * the number of changed rows of each.
	 */
	int[] batch(String statement, List<? extends Map<String, ?>> values) {
		return run(statement, (prepared, sql) -> {
			for (Map<String, ?> each : values) {
				sql.bind(prepared, each);
				prepared.addBatch();
			}
			return prepared.executeBatch();
		});
	}

	/** Run a query. Statements that return no rows may come before it. */
	<T> List<T> query(String statement, Map<String, ?> values, RowMapper<T> row) {
		return run(statement, (prepared, sql) -> {
			sql.bind(prepared, values);
			for (boolean rows = prepared.execute(); !rows; rows = prepared.getMoreResults()) {
				if (prepared.getUpdateCount() < 0) {
					throw new SQLException("Unexpected reply: no rows");
				}
			}
			ResultSet results = prepared.getResultSet();
			try (results) {
				return new RowMapperResultSetExtractor<>(row, 1).extractData(results);
			}
			catch (SQLException ex) {
				// No refusal, whatever the driver calls it: it may be the reply to
				// another statement.
				throw JdbcExceptionTranslator.isRefusal(ex)
						? new SQLException("Unexpected reply: " + ex.getMessage(), ex) : ex;
			}
		});
	}

	private <T> T run(String name, Execution<T> execution) {
		Sql sql = this.pool.statements().get(name);
		return call(name, () -> {
			PreparedStatement statement = this.prepared.get(name);
			if (statement == null) {
				statement = this.driver.prepareStatement(sql.text());
				this.prepared.put(name, statement);
			}
			this.running = statement;
			return execution.run(statement, sql);
		});
	}

	private <T> T call(String task, Call<T> call) {
		boolean doubtfulBefore = this.doubtful;
		// Whatever is thrown, a part of the answer may be unread.
		this.doubtful = true;
		try {
			T result = call.run();
			this.doubtful = doubtfulBefore;
			return result;
		}
		catch (SQLException ex) {
			// Perhaps the table no longer fits it.
			JdbcUtils.closeStatement(this.prepared.remove(task));
			this.doubtful = doubtfulBefore || this.pool.failed(ex);
			throw JdbcExceptionTranslator.dataAccessException(task, ex);
		}
	}

	/**
	 * Cancel the running statement, if there is one. May be called by any thread, and
	 * blocks it if the server does not answer: drivers send the request by a connection
	 * of its own. It may also end a later statement.
	 */
	void cancel() throws SQLException {
		Statement statement = this.running;
		if (statement != null && (this.cancelled || this.returnable.compareAndSet(true, false))) {
			this.cancelled = true;
			PostgreSqlDriver.cancel(statement);
		}
	}

	/** Ask the database whether the session of this connection still exists. */
	boolean isAlive() {
		return call("validation", () -> this.driver.isValid(VALIDATION_SECONDS));
	}

	/** Cut the connection off, although another thread may use it. Never fails. */
	void cutOff() {
		this.pool.discard(this.lent);
	}

	/**
	 * Roll back what is open, restore the settings of the connection and return it to the
	 * pool. It is cut off if that fails, or if its statement has. Never fails.
	 */
	@Override
	public void close() {
		boolean returned = false;
		try {
			// First: a row is free for others when this method returns.
			if (this.transactionOpen) {
				this.driver.rollback();
				this.driver.setAutoCommit(true);
			}
			if (!this.doubtful && this.returnable.compareAndSet(true, false)) {
				if (this.pool.isForeign()) {
					restore();
				}
				this.lent.close();
				returned = true;
			}
		}
		catch (SQLException ex) {
			logger.debug("The settings of a connection could not be restored; the connection is cut off", ex);
		}
		finally {
			if (!returned) {
				this.pool.discard(this.lent);
			}
		}
	}

	private void restore() throws SQLException {
		this.prepared.values().forEach(JdbcUtils::closeStatement);
		if (this.originalIsolation != Connection.TRANSACTION_READ_COMMITTED) {
			this.driver.setTransactionIsolation(this.originalIsolation);
		}
		if (this.originalReadOnly) {
			this.driver.setReadOnly(true);
		}
		this.driver.setNetworkTimeout(Runnable::run, this.originalNetworkTimeout);
		if (!this.originalAutoCommit) {
			this.driver.setAutoCommit(false);
		}
	}

	/** A call of the driver. */
	private interface Call<T> {

		T run() throws SQLException;

	}

	/** Runs a statement whose parameters have not been set yet. */
	private interface Execution<T> {

		T run(PreparedStatement statement, Sql sql) throws SQLException;

	}

	/**
	 * The SQL statements for one database. A section of the database's own file replaces
	 * the section of the same name in the common file.
	 */
	static final class SqlStatements {

		private static final Pattern COMMENTS_AND_SPACE = Pattern.compile("(?m)(^--.*$|\\s)+");

		private static final PropertyPlaceholderHelper INCLUDES = new PropertyPlaceholderHelper("${", "}");

		private final Map<String, String> sections = new HashMap<>();

		private final Map<String, Sql> statements = new HashMap<>();

		SqlStatements(JdbcDialect dialect, TableNames tables) {
			read("common");
			read(dialect.platform());
			this.sections.forEach((name, text) -> this.statements.put(name,
					Sql.of(tables.applyTo(INCLUDES.replacePlaceholders(text, this.sections::get)))));
		}

		/** Return a statement. */
		Sql get(String name) {
			return Objects.requireNonNull(this.statements.get(name), name);
		}

		/** Return whether the database has a statement of that name. */
		boolean has(String name) {
			return this.statements.containsKey(name);
		}

		private void read(String file) {
			ClassPathResource resource = new ClassPathResource("sql/" + file + ".sql", SqlStatements.class);
			String text = ThrowingSupplier.of(() -> resource.getContentAsString(StandardCharsets.UTF_8)).get();
			Stream.of(text.split("(?m)^-- name: ")).skip(1).forEach((part) -> {
				String[] section = part.split("\\R", 2);
				this.sections.put(section[0], COMMENTS_AND_SPACE.matcher(section[1]).replaceAll(" ").strip());
			});
		}

		/**
		 * A statement.
		 *
		 * @param text the statement with question marks
		 * @param parameters the name of each question mark
		 */
		record Sql(String text, List<String> parameters) {

			/** A name after a single colon: two colons are a cast of PostgreSQL. */
			private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z]+)");

			private static Sql of(String text) {
				Matcher parameter = PARAMETER.matcher(text);
				List<String> names = parameter.results().map((result) -> result.group(1)).toList();
				return new Sql(parameter.replaceAll("?"), names);
			}

			/** Set the parameters of the prepared statement. */
			void bind(PreparedStatement statement, Map<String, ?> values) throws SQLException {
				for (int i = 0; i < this.parameters.size(); i++) {
					statement.setObject(i + 1, values.get(this.parameters.get(i)));
				}
			}

		}

	}

	/**
	 * What JDBC has no method for. The driver of PostgreSQL is an optional dependency.
	 */
	static final class PostgreSqlDriver {

		/** Whether the interfaces of the driver are on the class path. */
		static final boolean PRESENT = ClassUtils.isPresent("org.postgresql.PGConnection",
				PostgreSqlDriver.class.getClassLoader());

		private PostgreSqlDriver() {
		}

		/** Return the number of the session of a connection, as the driver knows it. */
		static int session(Connection connection) throws SQLException {
			return (PRESENT && connection.isWrapperFor(PGConnection.class))
					? connection.unwrap(PGConnection.class).getBackendPID() : -1;
		}

		/**
		 * Cancel what a session runs. May be repeated: {@code Statement.cancel()} of this
		 * driver sends one request, which has no effect on a statement that has not
		 * begun.
		 */
		static void cancel(Statement running) throws SQLException {
			Connection connection = running.getConnection();
			if (PRESENT && connection.isWrapperFor(PGConnection.class)) {
				connection.unwrap(PGConnection.class).cancelQuery();
			}
			else {
				running.cancel();
			}
		}

		/**
		 * Return the payloads of the notifications that have arrived. Waits until there
		 * is one.
		 * @param timeout how long to wait at most
		 */
		static List<String> receive(Connection connection, Duration timeout) throws SQLException {
			PGNotification[] arrived = connection.unwrap(PGConnection.class).getNotifications((int) timeout.toMillis());
			return (arrived != null) ? Stream.of(arrived).map(PGNotification::getParameter).toList() : List.of();
		}

	}

}
