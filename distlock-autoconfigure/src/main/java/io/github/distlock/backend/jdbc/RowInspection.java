package io.github.distlock.backend.jdbc;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.LockMode;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.backend.jdbc.JdbcCommands.Kind;
import org.jspecify.annotations.Nullable;

/**
 * What a database tells operators of locks of the mode {@code row}. PostgreSQL tells
 * which session has locked a row; the name of the session tells the ticket and the token.
 * The other databases do not. A lock ends with its session, which an administrator ends
 * by SQL.
 */
final class RowInspection extends JdbcInspection {

	/** What {@code set_config} makes of the ticket and the token. */
	private static final Pattern SESSION_NAME = Pattern.compile("lock (.+):\\S+ (\\d+)");

	RowInspection(JdbcStore store) {
		super(store);
	}

	@Override
	public StoredLock inspect(String key) {
		StoredLock lock = super.inspect(key);
		if (!lock.holders().isEmpty()) {
			return lock;
		}
		RowSession session = session(key);
		return (session != null) ? new StoredLock(key, List.of(session.holder()), List.of()) : lock;
	}

	@Override
	public EndResult end(String key, long grantToken) {
		// Only a connection knows which statements the database has.
		this.store.ping();
		throw unsupported(key, "ends a lock of the mode 'row' only with the session of its holder");
	}

	/** Return the session that has locked the row of a lock. */
	private @Nullable RowSession session(String key) {
		// Known, since the row was read before.
		if (!this.store.pool.statements().has("session")) {
			throw unsupported(key, "does not tell which session has locked a row");
		}
		List<RowSession> sessions = this.store.commands.run(Kind.ATTEMPT, "inspection", key,
				(connection, sent) -> connection.query("session", Map.of("key", this.store.table.key(key)),
						(row, number) -> RowSession.of(row.getString(1), row.getLong(2))));
		return (!sessions.isEmpty() && sessions.get(0).isHolder()) ? sessions.get(0) : null;
	}

	private UnsupportedStoreOperationException unsupported(String key, String problem) {
		LockPool pool = this.store.pool;
		return new UnsupportedStoreOperationException(pool.dialect().product() + " " + problem
				+ JdbcExceptionTranslator.lock(key) + ": an administrator finds the session by "
				+ sql(pool, "showsessions", key) + " and ends it by " + sql(pool, "killsession", key));
	}

	private String sql(LockPool pool, String statement, String key) {
		String literal = (this.store.table.keyPrefix() + key).replace("'", "''");
		String hex = HexFormat.of().withUpperCase().formatHex(this.store.table.key(key));
		return pool.statements().get(statement).replace("{hex}", hex).replace("{key}", literal);
	}

	/**
	 * The session that has locked a row.
	 *
	 * @param instance the instance part of the ticket that holds the lock, empty if the
	 * session is another one, such as that of the clean-up
	 * @param token the token of the grant
	 * @param nowMicros the time of the database
	 */
	private record RowSession(String instance, long token, long nowMicros) {

		static RowSession of(String name, long nowMicros) {
			Matcher holder = SESSION_NAME.matcher(name);
			return holder.matches() ? new RowSession(holder.group(1), Long.parseLong(holder.group(2)), nowMicros)
					: new RowSession("", 0, nowMicros);
		}

		boolean isHolder() {
			return !this.instance.isEmpty();
		}

		StoredHolder holder() {
			Instant since = (this.token <= this.nowMicros) ? LockTable.instant(this.token) : null;
			return new StoredHolder(this.instance, LockMode.EXCLUSIVE, since, null, this.token);
		}

	}

}
