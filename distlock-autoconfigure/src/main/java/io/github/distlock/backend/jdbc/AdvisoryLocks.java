package io.github.distlock.backend.jdbc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.distlock.LockMode;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.ThrowingSupplier;

/**
 * The advisory locks of PostgreSQL that the mode {@code connection} takes: the number of
 * each key, and which sessions hold it or wait for it. Two keys with the same number
 * exclude each other. All JVMs, of all versions, must compute the same numbers.
 */
final class AdvisoryLocks {

	private final String prefix;

	/** Schema and name of the table, as the server resolves them. */
	private volatile @Nullable List<String> table;

	AdvisoryLocks(String prefix) {
		this.prefix = prefix;
	}

	/** Return the number of a key. The first call sends a query. */
	long number(LockConnection connection, String key) {
		List<String> names = this.table;
		if (names == null) {
			names = connection.query("table", Map.of(), (row, number) -> row.getString(1));
			this.table = names;
		}
		return number(names.get(0), names.get(1), this.prefix, key);
	}

	/**
	 * Return the first 8 bytes of the SHA-256 of some names in UTF-8, each after its
	 * length in 4 bytes, the highest byte first.
	 * @param names the schema, the table, the prefix of keys, and the key
	 */
	static long number(String... names) {
		MessageDigest digest = ThrowingSupplier.of(() -> MessageDigest.getInstance("SHA-256")).get();
		for (String name : names) {
			byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
			digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
			digest.update(bytes);
		}
		return ByteBuffer.wrap(digest.digest()).getLong();
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
		Map<String, ?> values = Map.of("number", number(connection, key), "token", Long.toString(token));
		return connection.query("endSession", values, (row, number) -> row.getBoolean(1)).contains(true);
	}

}
