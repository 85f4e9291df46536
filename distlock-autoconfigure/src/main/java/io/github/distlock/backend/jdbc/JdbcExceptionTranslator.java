package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.Set;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedRuntimeException;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * Classifies the failures of commands and turns them into exceptions for the callers.
 * Spring's translation recognises collisions. The other questions need the SQL state:
 * Spring maps a missing table and a missing right to the same exception, as well as a
 * cancelled query and a server that shuts down.
 */
final class JdbcExceptionTranslator {

	private static final int MAX_CAUSES = 100;

	/**
	 * The translator of all templates. The default one would ask the broken connection
	 * for the name of its database if the application defines SQL error codes of its own.
	 */
	static final SQLExceptionTranslator SPRING = new SQLExceptionSubclassTranslator();

	/** H2: another transaction has changed the row. Not translated by Spring. */
	private static final String H2_CONCURRENT_UPDATE = "90131";

	/** No right on the table; the second one is of H2. */
	private static final String[] FORBIDDEN = { "42501", "90096" };

	/** MySQL, MariaDB: no right on the database, the table or its columns. */
	private static final Set<Integer> FORBIDDEN_CODES = Set.of(1044, 1142, 1143, 1227);

	/** No such table, or no such schema. */
	private static final String[] MISSING_TABLE = { "42P01", "42S02", "42S03", "42S04", "3F000", "90079" };

	/** MySQL, MariaDB: the server is read-only, for example a former primary. */
	private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

	/** MariaDB: the session was ended. */
	private static final String KILLED = "70100";

	/** PostgreSQL: the statement was cancelled. */
	private static final String CANCELLED = "57014";

	/** PostgreSQL: the session does not know, or knows already, a statement. */
	private static final Set<String> FORGOTTEN = Set.of("26000", "42P05", "08P01");

	private JdbcExceptionTranslator() {
	}

	/** Create the exception for the caller of a command. */
	static LockBackendException translate(TableNames tables, String action, @Nullable String key, Throwable failure) {
		if (failure instanceof LockBackendException translated) {
			return translated;
		}
		SQLException ex = sqlException(failure);
		Throwable cause = (ex != null) ? ex : failure;
		String refused = "The database refused the " + action + lock(key) + " (" + describe(cause) + "): ";
		String script = "run io/github/distlock/backend/jdbc/schema-<h2|postgresql|mysql|mariadb>.sql of the distlock"
				+ " jar, or set distlock.jdbc.initialize-schema=always";
		if (ex != null && has(ex, MISSING_TABLE)) {
			return new StoreUnusableException(
					"The table " + tables.lock() + " is missing (" + describe(cause) + "): " + script, cause);
		}
		if (ex != null && (has(ex, FORBIDDEN) || FORBIDDEN_CODES.contains(ex.getErrorCode()))) {
			return new StoreUnusableException(
					refused + "grant the user SELECT, INSERT, UPDATE and DELETE on " + tables.lock(), cause);
		}
		if (ex != null && has(ex, "42")) {
			return new StoreUnusableException(refused + "the table " + tables.lock()
					+ " has other columns than this version expects; rename it, and " + script, cause);
		}
		if (ex != null && isReadOnly(ex)) {
			return new LockBackendException(refused + "the server is read-only, as a replica or a former primary is;"
					+ " connect to the primary", cause);
		}
		return new LockBackendException("The database did not answer the " + action + lock(key) + " (" + describe(cause)
				+ "): check that it runs and is reachable, and that distlock.jdbc.command-timeout is long enough",
				cause);
	}

	/** Create the exception for a command that was sent and not answered in time. */
	static LockBackendException noAnswer(String action, @Nullable String key) {
		return new LockBackendException("The database did not answer the " + action + lock(key)
				+ " in time: check its load, and distlock.jdbc.command-timeout");
	}

	/** Name a lock in a message. */
	static String lock(@Nullable String key) {
		return (key != null) ? " for lock '" + key + "'" : "";
	}

	/**
	 * Describe a failure by its message, which names addresses, and by its root cause.
	 */
	static String describe(Throwable failure) {
		Throwable root = failure;
		// The chain of causes may be a cycle.
		for (int depth = 0; depth < MAX_CAUSES && root.getCause() != null; depth++) {
			root = root.getCause();
		}
		String message = message(failure);
		String cause = message(root);
		return message.contains(cause) ? message : message + ", caused by: " + cause;
	}

	/**
	 * Return the cause for an exception of the store, {@code null} if one of its messages
	 * may contain credentials. The message of that exception describes the cause anyway.
	 */
	static @Nullable Throwable withoutCredentials(@Nullable Throwable cause) {
		Throwable each = cause;
		for (int depth = 0; depth < MAX_CAUSES && each != null; depth++) {
			String message = each.getMessage();
			if (message != null && !CredentialMask.mask(message).equals(message)) {
				return null;
			}
			each = each.getCause();
		}
		return cause;
	}

	/** Omits credentials, and the statement, which H2 appends to its messages. */
	private static String message(Throwable failure) {
		String message = failure.getMessage();
		if (message == null || message.isBlank()) {
			return failure.getClass().getSimpleName();
		}
		int statement = message.indexOf("; SQL statement:");
		return CredentialMask.mask(((statement > 0) ? message.substring(0, statement) : message).strip());
	}

	/** Return the exception of the driver, which Spring may have wrapped. */
	static @Nullable SQLException sqlException(Throwable failure) {
		Throwable reported = (failure instanceof NestedRuntimeException) ? failure.getCause() : failure;
		return (reported instanceof SQLException ex) ? ex : null;
	}

	/** Translate an exception of the driver as Spring's templates do. */
	static DataAccessException dataAccessException(String task, SQLException ex) {
		DataAccessException translated = SPRING.translate(task, null, ex);
		return (translated != null) ? translated : new UncategorizedSQLException(task, null, ex);
	}

	/**
	 * Whether the statement collided with another transaction, had no effect and can be
	 * repeated: deadlock, serialization failure, simultaneous inserts of one key.
	 */
	static boolean isCollision(DataAccessException ex) {
		SQLException cause = sqlException(ex);
		return ex instanceof ConcurrencyFailureException || ex instanceof DuplicateKeyException
				|| (cause != null && H2_CONCURRENT_UPDATE.equals(cause.getSQLState()));
	}

	/**
	 * Whether the database rejected the statement and the session can still be used:
	 * wrong data, a missing right or table, a collision.
	 */
	static boolean isRefusal(Throwable failure) {
		String state = state(failure);
		return state != null && !FORGOTTEN.contains(state) && (state.startsWith("22") || state.startsWith("23")
				|| state.startsWith("40") || state.startsWith("42") || CANCELLED.equals(state));
	}

	/** Whether the database does not know or not allow what the statement asks for. */
	static boolean isUnsupported(Throwable failure) {
		String state = state(failure);
		return state != null && (state.startsWith("42") || state.equals("0A000"));
	}

	/**
	 * Whether the database lacks a resource for the statement. PostgreSQL reports a full
	 * queue of notifications as an exceeded limit, when the statement commits.
	 */
	static boolean isExhausted(Throwable failure) {
		String state = state(failure);
		return state != null && (state.startsWith("53") || state.startsWith("54"));
	}

	/**
	 * Whether the connection is lost or its server no longer accepts writes. Other
	 * connections that were opened before are affected as well.
	 */
	static boolean isDatabaseFailure(Throwable failure) {
		SQLException ex = sqlException(failure);
		if (ex == null) {
			return false;
		}
		String state = ex.getSQLState();
		return ex instanceof SQLRecoverableException || ex instanceof SQLNonTransientConnectionException
				|| isReadOnly(ex) || isForgottenStatement(ex) || has(ex, "08", "57P", KILLED);
	}

	/** Whether another session answers than the one that has prepared the statement. */
	static boolean isForgottenStatement(SQLException ex) {
		String state = ex.getSQLState();
		return state != null && FORGOTTEN.contains(state);
	}

	private static boolean isReadOnly(SQLException ex) {
		return READ_ONLY.contains(ex.getErrorCode()) || has(ex, "25006");
	}

	private static boolean has(SQLException ex, String... states) {
		String state = ex.getSQLState();
		return state != null && Stream.of(states).anyMatch(state::startsWith);
	}

	private static @Nullable String state(Throwable failure) {
		SQLException ex = sqlException(failure);
		return (ex != null) ? ex.getSQLState() : null;
	}

}
