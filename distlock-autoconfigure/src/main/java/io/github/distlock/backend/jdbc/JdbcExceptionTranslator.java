package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreUnusableException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
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

	/**
	 * The default one of Spring would ask the broken connection for the name of its
	 * database if the application defines SQL error codes of its own.
	 */
	private static final SQLExceptionTranslator SPRING = new SQLExceptionSubclassTranslator();

	/** H2: another transaction has changed the row. Not translated by Spring. */
	private static final String H2_CONCURRENT_UPDATE = "90131";

	/** H2: no right on the table. */
	private static final String H2_FORBIDDEN = "90096";

	/** MySQL, MariaDB: no right on the database, the table, a column or a routine. */
	private static final Set<Integer> FORBIDDEN = Set.of(1044, 1142, 1143, 1370);

	/** MySQL, MariaDB: no right on the database, no such database. */
	private static final Set<Integer> LOGIN = Set.of(1044, 1049);

	/**
	 * The statement is no valid SQL there, or names a function or a type that the
	 * database does not have. MySQL, MariaDB and H2: 4200x.
	 */
	private static final String[] SYNTAX = { "42601", "42704", "42883", "4200" };

	/**
	 * PostgreSQL: the session has another prepared statement of this name, or none. It is
	 * not the session that the driver has prepared its statements in.
	 */
	private static final String[] OTHER_SESSION = { "42P05", "26000" };

	/** No such table, or no such schema. */
	private static final String[] MISSING_TABLE = { "42P01", "42S02", "42S03", "42S04", "3F000", "90079" };

	/** MySQL, MariaDB: the server is read-only, for example a former primary. */
	private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

	/** MySQL, MariaDB: too many connections, of the server or of the user. */
	private static final Set<Integer> TOO_MANY = Set.of(1040, 1203, 1226);

	/** MySQL and MariaDB, H2: a row was locked for too long. */
	private static final Set<Integer> LOCK_TIMEOUT = Set.of(1205, 50200);

	private JdbcExceptionTranslator() {
	}

	/**
	 * Create the exception for the caller of a command.
	 * @param script how the table is made
	 */
	static LockBackendException translate(JdbcBackendSettings settings, String script, String action,
			@Nullable String key, Throwable failure) {
		if (failure instanceof LockBackendException translated) {
			return translated;
		}
		SQLException ex = sqlException(failure);
		Throwable cause = (ex != null) ? ex : failure;
		String table = settings.tables().lock();
		String refused = "The database refused the " + action + lock(key) + " (" + describe(cause) + "): ";
		if (ex != null && has(ex, MISSING_TABLE)) {
			return new StoreUnusableException("The table " + table + " is missing (" + describe(cause) + ")"
					+ settings.creation() + ": " + script, cause);
		}
		String columns = "the table " + table
				+ " has other columns or constraints than this version expects. Rename it, and " + script;
		String permanent = (ex == null) ? null : (FORBIDDEN.contains(ex.getErrorCode()) || has(ex, "42501",
				H2_FORBIDDEN)) ? "grant the user SELECT, INSERT, UPDATE and DELETE on " + table : has(ex, OTHER_SESSION)
						? "a pooler in transaction mode changes the session between statements; add"
								+ " prepareThreshold=0 to the URL, or let the pooler track prepared statements, see "
								+ StoreCalls.DOCS + "stores-jdbc.md#pgbouncer"
						: has(ex, SYNTAX) ? "use a version and a mode of the database that " + StoreCalls.DOCS
								+ "compatibility.md lists" : has(ex, "22", "42") ? columns : null;
		if (permanent != null) {
			return new StoreUnusableException(refused + permanent, cause);
		}
		String remedy = isReadOnly(failure)
				? "the server is read-only, as a replica or a former primary is; connect to the primary"
				: (ex != null && has(ex, "23")) ? columns
						: (ex != null && isAnswer(ex)) ? "correct what the database names" : null;
		if (remedy != null) {
			return new LockBackendException(refused + remedy, cause);
		}
		return new LockBackendException("The database did not answer the " + action + lock(key) + " (" + describe(cause)
				+ "): check that it runs and is reachable, and that distlock.jdbc.command-timeout is long enough",
				cause);
	}

	/**
	 * Whether a failure is the database's own answer to a statement, and not a lost
	 * connection or a time-out.
	 */
	private static boolean isAnswer(SQLException ex) {
		return ex.getSQLState() != null && !(ex instanceof SQLTimeoutException) && !isDatabaseFailure(ex)
				&& !isLockTimeout(ex) && !has(ex, "57014");
	}

	/**
	 * Whether the database has refused the command of several locks and may accept it for
	 * others of them: a row was locked for too long, or violates a rule.
	 * @param failure what {@link #translate} has returned
	 */
	static boolean mayConcernOneLock(LockBackendException failure) {
		return !(failure instanceof StoreUnusableException) && failure.getCause() instanceof SQLException ex
				&& (isRefusal(ex) || isAnswer(ex));
	}

	/** Name a lock in a message. */
	static String lock(@Nullable String key) {
		return (key != null) ? " for lock '" + key + "'" : "";
	}

	/**
	 * Describe a failure by its message, which names addresses, and by its root cause.
	 */
	static String describe(Throwable failure) {
		String message = message(failure);
		String cause = message(NestedExceptionUtils.getMostSpecificCause(failure));
		return message.contains(cause) ? message : message + ", caused by: " + cause;
	}

	/**
	 * Return the cause for an exception of the store, {@code null} if one of its messages
	 * may contain credentials. The message of that exception describes the cause anyway.
	 */
	static @Nullable Throwable withoutCredentials(@Nullable Throwable cause) {
		boolean masked = Stream.iterate(cause, (each) -> each != null, Throwable::getCause)
			.map((each) -> String.valueOf(each.getMessage()))
			.anyMatch((message) -> !DatabaseText.mask(message).equals(message));
		return masked ? null : cause;
	}

	/** Omits credentials, and the statement, which H2 appends to its messages. */
	private static String message(Throwable failure) {
		String message = failure.getMessage();
		return (message != null && !message.isBlank())
				? StoreCalls.oneLine(DatabaseText.mask(message.replaceFirst("(?s); SQL statement:.*", "")))
				: failure.getClass().getSimpleName();
	}

	/** Return the exception of the driver, which Spring may have wrapped. */
	private static @Nullable SQLException sqlException(Throwable failure) {
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
		return ex instanceof ConcurrencyFailureException || ex instanceof DuplicateKeyException
				|| has(ex, H2_CONCURRENT_UPDATE);
	}

	/**
	 * Whether the database rejected the statement and the session can still be used:
	 * wrong data, a missing right or table, a collision, a cancellation, a lock time-out.
	 */
	static boolean isRefusal(Throwable failure) {
		return has(failure, "22", "23", "40", "42", "57014") || isLockTimeout(failure);
	}

	/** Whether a statement has failed because a row was locked for too long. */
	static boolean isLockTimeout(Throwable failure) {
		SQLException ex = sqlException(failure);
		return ex != null && (LOCK_TIMEOUT.contains(ex.getErrorCode()) || has(ex, "55P03"));
	}

	/**
	 * Whether a statement may have failed because of {@code NOTIFY}: the user has no
	 * right to use it, the database cannot do it, or the queue of notifications is full,
	 * which PostgreSQL reports as an exceeded limit.
	 */
	static boolean mayBeNotification(Throwable failure) {
		return has(failure, "42", "0A", "53", "54");
	}

	/**
	 * Whether the connection is lost or its server no longer accepts writes. Other
	 * connections that were opened before are affected as well.
	 */
	static boolean isDatabaseFailure(Throwable failure) {
		SQLException ex = sqlException(failure);
		// 70100: MariaDB has ended the session.
		return ex instanceof SQLRecoverableException || ex instanceof SQLNonTransientConnectionException
				|| has(failure, "08", "57P", "70100") || isReadOnly(failure);
	}

	/** Whether the server takes no writes. The session can still be used. */
	static boolean isReadOnly(Throwable failure) {
		SQLException ex = sqlException(failure);
		return ex != null && (READ_ONLY.contains(ex.getErrorCode()) || has(ex, "25006"));
	}

	/**
	 * Say why a connection was refused, and what to do.
	 * @return the predicate of a sentence, {@code null} if a wait has ended
	 */
	static @Nullable String refusal(Throwable failure) {
		Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
		String cause = " (" + describe(failure) + "): ";
		// 9014x: H2 has no such database.
		if (has(root, "28", "3D", "42501", "9014")
				|| root instanceof SQLException ex && LOGIN.contains(ex.getErrorCode())) {
			return " refuses the login" + cause + "check user, password and database";
		}
		if (has(root, "53300") || root instanceof SQLException ex && TOO_MANY.contains(ex.getErrorCode())) {
			return " accepts no more connections" + cause + "let it accept more, or make the pools of the applications"
					+ " smaller";
		}
		return (root instanceof IOException || has(root, "08"))
				? " cannot be reached" + cause + "check that it runs and is reachable" : null;
	}

	private static boolean has(Throwable failure, String... states) {
		SQLException ex = sqlException(failure);
		String state = (ex != null) ? ex.getSQLState() : null;
		return state != null && Stream.of(states).anyMatch(state::startsWith);
	}

	/**
	 * Keeps credentials out of texts. Drivers accept user and password in several places
	 * of a URL, and messages of drivers and pools may contain a URL.
	 */
	static final class DatabaseText {

		/**
		 * User and password before a host, or the password alone: a driver that takes it
		 * for a port names only that.
		 */
		private static final Pattern USER_INFO = Pattern.compile("[^\\s\"'(]+@");

		/** Parameters of a URL. */
		private static final Pattern PARAMETER = Pattern.compile("(?i)\\b(user|password|passwd|pwd)=[^;&,\\s\"')]*");

		/** User and password before the hosts. */
		private static final Pattern USER = Pattern.compile("//[^/?;(]*@");

		/** Parameters, and hosts of MySQL with their properties in brackets. */
		private static final Pattern PARAMETERS = Pattern.compile("(?s)([?;(]|address=).*");

		private DatabaseText() {
		}

		/** Remove credentials from a message. */
		static String mask(String message) {
			return PARAMETER.matcher(USER_INFO.matcher(message).replaceAll("...@")).replaceAll("$1=...");
		}

		/**
		 * Describe where a database is, without credentials and parameters.
		 * @param dialect the database, or {@code null} if it is not known yet
		 * @param url the URL, or {@code null} if it is not known
		 */
		static String location(@Nullable JdbcDialect dialect, @Nullable String url) {
			String known = (url != null) ? USER.matcher(url).replaceFirst("//") : "";
			String product = Stream.of(JdbcDialect.values())
				.filter((each) -> (dialect != null) ? each == dialect
						: known.startsWith("jdbc:" + each.platform() + ":"))
				.map(JdbcDialect::product)
				.findFirst()
				.orElse("a database");
			// After a further @ may be the rest of a password.
			return (known.isEmpty() || known.contains("@")) ? product
					: product + " at " + PARAMETERS.matcher(known).replaceFirst("");
		}

	}

}
