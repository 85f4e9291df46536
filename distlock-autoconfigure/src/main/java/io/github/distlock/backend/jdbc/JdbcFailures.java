package io.github.distlock.backend.jdbc;

import java.sql.SQLException;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * What is said when a command fails.
 */
final class JdbcFailures {

	private JdbcFailures() {
	}

	static LockBackendException of(String what, @Nullable String key, Throwable failure) {
		if (failure instanceof LockBackendException known) {
			return known;
		}
		Throwable root = failure;
		while (root.getCause() != null && root.getCause() != root) {
			root = root.getCause();
		}
		if (failure instanceof SQLException ex && JdbcDialect.isMissingTable(ex)) {
			return new LockBackendException("The table distlock_lock is missing or has other columns (" + describe(root)
					+ "): run io/github/distlock/backend/jdbc/schema-<h2|postgresql|mysql|mariadb>.sql"
					+ " of the distlock jar, or set distlock.jdbc.initialize-schema=always", failure);
		}
		return new LockBackendException("The database did not answer the " + what + lock(key) + " (" + describe(root)
				+ "): check that it runs and is reachable, that the user may SELECT, INSERT, UPDATE and DELETE in"
				+ " distlock_lock, and that distlock.jdbc.command-timeout suits it", failure);
	}

	static String lock(@Nullable String key) {
		return (key != null) ? " for lock '" + key + "'" : "";
	}

	private static String describe(Throwable root) {
		String message = root.getMessage();
		return (message != null && !message.isBlank()) ? message : root.getClass().getSimpleName();
	}

}
