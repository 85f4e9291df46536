package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.Set;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreUnusableException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedRuntimeException;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * What is said when a command fails.
 */
final class JdbcExceptionTranslator {

	private static final int MAX_CAUSES = 100;

	/**
	 * Set explicitly: the default of Spring may ask the data source for the name of the
	 * database, if the application has SQL error codes of its own.
	 */
	static final SQLExceptionTranslator SPRING = new SQLExceptionSubclassTranslator();

	/** H2: another transaction has changed the row. Spring does not translate it. */
	private static final String H2_CONCURRENT_UPDATE = "90131";

	/** MySQL, MariaDB: the server is read-only, as a former primary is. */
	private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

	private JdbcExceptionTranslator() {
	}

	static LockBackendException translate(String what, @Nullable String key, Throwable failure) {
		if (failure instanceof LockBackendException known) {
			return known;
		}
		SQLException ex = sqlException(failure);
		Throwable cause = (ex != null) ? ex : failure;
		if (ex != null && isMissingTable(ex)) {
			return new StoreUnusableException(
					"The table distlock_lock is missing or has other columns (" + describe(cause)
							+ "): run io/github/distlock/backend/jdbc/schema-<h2|postgresql|mysql|mariadb>.sql"
							+ " of the distlock jar, or set distlock.jdbc.initialize-schema=always",
					cause);
		}
		if (ex != null && isForbidden(ex)) {
			return new StoreUnusableException("The database refused the " + what + lock(key) + " (" + describe(cause)
					+ "): grant its user SELECT, INSERT, UPDATE and DELETE on distlock_lock", cause);
		}
		return new LockBackendException("The database did not answer the " + what + lock(key) + " (" + describe(cause)
				+ "): check that it runs and is reachable, that the user may SELECT, INSERT, UPDATE and DELETE in"
				+ " distlock_lock, and that distlock.jdbc.command-timeout suits it", cause);
	}

	static String lock(@Nullable String key) {
		return (key != null) ? " for lock '" + key + "'" : "";
	}

	/**
	 * Describe a failure by its own message, which names addresses, and that of its root
	 * cause.
	 */
	static String describe(Throwable failure) {
		Throwable root = failure;
		// The limit ends a chain of causes that is a cycle.
		for (int depth = 0; depth < MAX_CAUSES && root.getCause() != null; depth++) {
			root = root.getCause();
		}
		String message = message(failure);
		String cause = message(root);
		return message.contains(cause) ? message : message + ", caused by: " + cause;
	}

	/** H2 appends the whole statement, which says nothing more. */
	private static String message(Throwable failure) {
		String message = failure.getMessage();
		if (message == null || message.isBlank()) {
			return failure.getClass().getSimpleName();
		}
		int statement = message.indexOf("; SQL statement:");
		return ((statement > 0) ? message.substring(0, statement) : message).strip();
	}

	/**
	 * Return the failure that the driver reported, or {@code null} if there is none.
	 * Spring wraps it.
	 */
	static @Nullable SQLException sqlException(Throwable failure) {
		Throwable reported = (failure instanceof NestedRuntimeException) ? failure.getCause() : failure;
		return (reported instanceof SQLException ex) ? ex : null;
	}

	/** Translate a failure as {@link org.springframework.jdbc.core.JdbcTemplate} does. */
	static DataAccessException dataAccessException(String task, SQLException ex) {
		DataAccessException translated = SPRING.translate(task, null, ex);
		return (translated != null) ? translated : new UncategorizedSQLException(task, null, ex);
	}

	/**
	 * Whether the statement had no effect since it met another, and can be sent again:
	 * deadlock, serialization failure, two inserts of one key at a time.
	 */
	static boolean isCollision(DataAccessException ex) {
		SQLException cause = sqlException(ex);
		return ex instanceof ConcurrencyFailureException || ex instanceof DuplicateKeyException
				|| (cause != null && H2_CONCURRENT_UPDATE.equals(cause.getSQLState()));
	}

	/**
	 * Whether the database refused the statement and goes on with the session: wrong
	 * data, missing rights or table, a collision.
	 */
	static boolean isRefusal(Throwable failure) {
		String state = state(failure);
		return state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("40")
				|| state.startsWith("42"));
	}

	/**
	 * Whether the connection is gone, or its server no longer accepts writes: other
	 * connections that were opened before will be no better.
	 */
	static boolean isDatabaseFailure(Throwable failure) {
		SQLException ex = sqlException(failure);
		if (ex == null) {
			return false;
		}
		String state = ex.getSQLState();
		return ex instanceof SQLRecoverableException || ex instanceof SQLNonTransientConnectionException
				|| READ_ONLY.contains(ex.getErrorCode())
				|| (state != null && (state.startsWith("08") || state.startsWith("57P") || state.equals("25006")));
	}

	/** Whether the statement or its user is not allowed, which no repetition changes. */
	private static boolean isForbidden(SQLException ex) {
		String state = ex.getSQLState();
		return state != null && state.startsWith("42");
	}

	private static @Nullable String state(Throwable failure) {
		SQLException ex = sqlException(failure);
		return (ex != null) ? ex.getSQLState() : null;
	}

	private static boolean isMissingTable(SQLException ex) {
		String state = ex.getSQLState();
		return "42P01".equals(state) || "42S02".equals(state) || "42S03".equals(state) || "42S04".equals(state);
	}

}
