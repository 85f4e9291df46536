package io.github.distlock.backend.jdbc;

import java.sql.SQLException;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreUnusableException;
import org.jspecify.annotations.Nullable;

/**
 * What is said when a command fails.
 */
final class JdbcExceptionTranslator {

	private static final int MAX_CAUSES = 100;

	private JdbcExceptionTranslator() {
	}

	static LockBackendException translate(String what, @Nullable String key, Throwable failure) {
		if (failure instanceof LockBackendException known) {
			return known;
		}
		if (failure instanceof SQLException ex && JdbcDialect.isMissingTable(ex)) {
			return new StoreUnusableException(
					"The table distlock_lock is missing or has other columns (" + describe(failure)
							+ "): run io/github/distlock/backend/jdbc/schema-<h2|postgresql|mysql|mariadb>.sql"
							+ " of the distlock jar, or set distlock.jdbc.initialize-schema=always",
					failure);
		}
		if (failure instanceof SQLException ex && JdbcDialect.isForbidden(ex)) {
			return new StoreUnusableException("The database refused the " + what + lock(key) + " (" + describe(failure)
					+ "): grant its user SELECT, INSERT, UPDATE and DELETE on distlock_lock", failure);
		}
		return new LockBackendException("The database did not answer the " + what + lock(key) + " (" + describe(failure)
				+ "): check that it runs and is reachable, that the user may SELECT, INSERT, UPDATE and DELETE in"
				+ " distlock_lock, and that distlock.jdbc.command-timeout suits it", failure);
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

}
