package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.distlock.LockMode;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * The advisory locks of PostgreSQL that the mode {@code connection} takes: the number of
 * each key, the settings of a session, and which sessions hold a key or wait for it. Two
 * keys with the same number exclude each other. All JVMs, of all versions, must compute
 * the same numbers.
 */
final class AdvisoryLocks {

	private final String prefix;

	/** Schema and name of the table, as the server resolves them. */
	private volatile @Nullable List<String> table;

	/**
	 * The settings that the sessions of the own pool have, by the driver's connection.
	 */
	private final Map<Connection, Map<String, ?>> settings = new ConcurrentReferenceHashMap<>();

	AdvisoryLocks(String prefix) {
		this.prefix = prefix;
	}

	/**
	 * Prepare the open transaction of a ticket. The first call sends a query, as does one
	 * for a session with other settings, and each one for a session that other clients
	 * use, too.
	 * @param lease how long the server lets the session live without a statement
	 * @return the parameter of the statements
	 */
	Map<String, Object> prepare(LockConnection connection, Ticket ticket, Duration lease) throws SQLException {
		String millis = Long.toString(Math.min(lease.toMillis(), Integer.MAX_VALUE));
		Map<String, ?> wanted = Map.of("lease", millis, "self", ticket.instance(), "session", connection.session());
		if (!wanted.equals(this.settings.get(connection.driver))
				&& connection.query("settings", wanted, (row, number) -> row.getBoolean(1)).contains(true)) {
			// Otherwise a rollback would undo them.
			connection.commit();
			this.settings.put(connection.driver, wanted);
		}
		return Map.of("number", number(connection, ticket.key()));
	}

	private long number(LockConnection connection, String key) {
		List<String> names = this.table;
		if (names == null) {
			names = connection.query("table", Map.of(), (row, number) -> row.getString(1));
			this.table = names;
		}
		return LockKeys.number(names.get(0), names.get(1), this.prefix, key);
	}

	/** Return what sessions hold the number of a key or wait for it, in their order. */
	StoredLock inspect(LockConnection connection, String key) {
		List<StoredHolder> holders = new ArrayList<>();
		List<StoredWaiter> waiting = new ArrayList<>();
		connection.query("sessions", Map.of("number", number(connection, key)), (row, number) -> row.getBoolean(1)
				? holders.add(holder(row)) : waiting.add(new StoredWaiter(row.getString(3), LockMode.EXCLUSIVE)));
		return new StoredLock(key, holders, waiting);
	}

	/** The token is the time of the grant. A session of other software has none. */
	private static StoredHolder holder(ResultSet row) throws SQLException {
		long token = row.getLong(2);
		Instant since = (token > 0) ? Instant.EPOCH.plus(token, ChronoUnit.MICROS) : null;
		return new StoredHolder(row.getString(3), LockMode.EXCLUSIVE, since, null, token);
	}

	/** End the session that holds a lock with a token. Returns whether there was one. */
	boolean end(LockConnection connection, String key, long token) {
		Map<String, ?> values = Map.of("number", number(connection, key), "token", token);
		return connection.query("endSession", values, (row, number) -> row.getBoolean(1)).contains(true);
	}

}
