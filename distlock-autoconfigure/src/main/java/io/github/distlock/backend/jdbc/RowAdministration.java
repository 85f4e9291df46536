package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.LockMode;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import org.jspecify.annotations.Nullable;

/**
 * What operators and messages need of a database in the mode {@code row}. PostgreSQL
 * tells which session has locked a row; the name of the session tells the ticket and the
 * token. The other databases do not, so an administrator has to look and to end the
 * session. Rows with a lease of the other mode are treated as in that mode.
 */
final class RowAdministration extends JdbcAdministration {

	/** What {@code set_config} makes of the ticket and the token. */
	private static final Pattern SESSION_NAME = Pattern.compile("lock (.+):(\\S+) (\\d+)");

	/** How long a holder may ask why it has lost its session. */
	private static final Duration NOTE_TIME = Duration.ofMinutes(10);

	private static final long POLL_NANOS = 10_000_000;

	/** One second in all. */
	private static final int MAX_POLLS = 100;

	RowAdministration(JdbcResources resources, TimeSource clock) {
		super(resources, clock);
	}

	@Override
	public StoredLock inspect(String key) {
		StoredLock lock = super.inspect(key);
		if (!lock.holders().isEmpty()) {
			return lock;
		}
		RowSession session = session(key, "does not tell which session has locked a row");
		return (session != null) ? new StoredLock(key, List.of(session.holder()), List.of()) : lock;
	}

	@Override
	public EndResult end(String key, long grantToken) {
		EndResult lease = super.end(key, grantToken);
		if (lease != EndResult.NOT_HELD) {
			return lease;
		}
		RowSession session = session(key, "cannot end a lock of the mode 'row'");
		if (session == null) {
			return EndResult.NOT_HELD;
		}
		if (session.token() != grantToken) {
			return EndResult.CHANGED;
		}
		return end(key, session) ? EndResult.ENDED
				: (session(key, "") != null) ? EndResult.CHANGED : EndResult.NOT_HELD;
	}

	/** The note comes first: the holder may find out at once that its session ended. */
	private boolean end(String key, RowSession session) {
		InstanceTable instances = this.resources.instances();
		long until = session.nowMicros() + NOTE_TIME.toNanos() / 1000;
		instances.use(() -> this.resources.executor().run(Kind.HOLDER, "note", key, (connection, sent) -> {
			instances.noteEnd(connection, session.ticket(), session.token(), until);
			return true;
		}), false);
		boolean ended = false;
		try {
			ended = this.resources.executor()
				.run(Kind.HOLDER, "end of the session", key,
						(connection, sent) -> connection
							.query("endSession", Map.of("pid", session.pid(), "name", session.name()),
									(row, number) -> row.getBoolean(1))
							.contains(true));
		}
		catch (StoreUnusableException ex) {
			throw unsupported(key, "does not let this account end the session of the holder");
		}
		finally {
			if (!ended) {
				instances.use(() -> this.resources.executor().run(Kind.HOLDER, "note", key, (connection, sent) -> {
					instances.forgetEnd(connection, session.ticket());
					return true;
				}), false);
			}
		}
		if (ended) {
			awaitEnd(key, session);
		}
		return ended;
	}

	/** The server ends a session some time after it was asked to. */
	private void awaitEnd(String key, RowSession session) {
		for (int i = 0; i < MAX_POLLS; i++) {
			RowSession now = session(key, "");
			if (now == null || now.pid() != session.pid()) {
				return;
			}
			LockSupport.parkNanos(POLL_NANOS);
		}
	}

	/** Return the session that has locked the row of a lock. */
	private @Nullable RowSession session(String key, String problem) {
		// Known, since the row was read before.
		if (!this.resources.pool().statements().has("session")) {
			throw unsupported(key, problem);
		}
		List<RowSession> sessions = this.resources.executor()
			.run(Kind.ATTEMPT, "inspection", key,
					(connection, sent) -> connection.query("session", Map.of("key", this.resources.table().key(key)),
							(row, number) -> RowSession.of(row.getInt(1), row.getString(2), row.getLong(3))));
		return (!sessions.isEmpty() && sessions.get(0).isHolder()) ? sessions.get(0) : null;
	}

	private UnsupportedStoreOperationException unsupported(String key, String problem) {
		LockPool pool = this.resources.pool();
		return new UnsupportedStoreOperationException(pool.dialect().product() + " " + problem
				+ JdbcExceptionTranslator.lock(key) + ": an administrator finds the session by "
				+ sql(pool, "showsessions", key) + " and ends it by " + sql(pool, "killsession", key));
	}

	private String sql(LockPool pool, String statement, String key) {
		String literal = (this.resources.table().keyPrefix() + key).replace("'", "''");
		String hex = HexFormat.of().withUpperCase().formatHex(this.resources.table().key(key));
		return pool.statements().get(statement).replace("{hex}", hex).replace("{key}", literal);
	}

	/**
	 * The session that has locked a row.
	 *
	 * @param pid the process of the server
	 * @param name the name of the session
	 * @param ticket the ticket that holds the lock, empty if the session is another one,
	 * such as that of the clean-up
	 * @param token the token of the grant
	 * @param nowMicros the time of the database
	 */
	private record RowSession(int pid, String name, String ticket, long token, long nowMicros) {

		static RowSession of(int pid, String name, long nowMicros) {
			Matcher holder = SESSION_NAME.matcher(name);
			return holder.matches() ? new RowSession(pid, name, holder.group(1) + ':' + holder.group(2),
					Long.parseLong(holder.group(3)), nowMicros) : new RowSession(pid, name, "", 0, nowMicros);
		}

		boolean isHolder() {
			return !this.ticket.isEmpty();
		}

		StoredHolder holder() {
			Instant since = (this.token <= this.nowMicros) ? InstanceTable.instant(this.token) : null;
			return new StoredHolder(this.ticket.substring(0, this.ticket.lastIndexOf(':')), LockMode.EXCLUSIVE, since,
					null, this.token);
		}

	}

}
