package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * The table {@code distlock_lock}: its keys, and the statements of the mode
 * {@code lease}.
 */
final class LockTable {

	private static final Log logger = LockLog.of(LockTable.class);

	private static final int MAX_PREFIX_BYTES = 256;

	private final LockPool pool;

	private final JdbcBackendSettings settings;

	/** A failed attempt within this time counts as another JVM that waits. */
	private final long recentAttemptMicros;

	/** How long a statement waits for a locked row, as PostgreSQL reads it. */
	private final String rowWait;

	/** The id of this instance. */
	final String self;

	LockTable(LockPool pool, JdbcBackendSettings settings, String self) {
		this.pool = pool;
		this.settings = settings;
		this.self = self;
		this.rowWait = settings.rowWait().toMillis() + "ms";
		this.recentAttemptMicros = 2 * micros(settings.pollInterval());
		int bytes = bytes(settings.keyPrefix()).length;
		if (bytes > MAX_PREFIX_BYTES) {
			throw new LockDefinitionException("The key prefix '" + settings.keyPrefix() + "' has " + bytes
					+ " bytes, the maximum is " + MAX_PREFIX_BYTES + ": choose a shorter one");
		}
	}

	/**
	 * Return the key of a lock in the table. Keys are bytes, so that no collation can
	 * take two of them for one.
	 */
	byte[] key(String lock) {
		return bytes(this.settings.keyPrefix() + lock);
	}

	/** Return the key of a lock as notifications name it. */
	String hexKey(String lock) {
		return HexFormat.of().formatHex(key(lock));
	}

	/** Return whether JVMs notify each other. Known after the first connection. */
	boolean notifies() {
		return this.settings.notifications() && this.pool.statements().has("listen");
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/** Take the lock if it is free. Returns the state of the row afterwards. */
	LeaseRow attempt(LockConnection connection, TimeSource.Instant sent, Ticket ticket, Duration lease, boolean queue) {
		Map<String, ?> values = Map.of("key", key(ticket.key()), "owner", ticket.token(), "tokens",
				(long) this.settings.tokensPerGrant(), "lease", micros(lease), "queue", queue ? 1L : 0L, "wait",
				this.rowWait);
		if (this.pool.dialect() != JdbcDialect.MYSQL) {
			return first(connection.query("attempt", values, (row, number) -> LeaseRow.read(row, sent)), sent);
		}
		connection.update("attempt", values);
		return read(connection, sent, ticket.key());
	}

	/**
	 * Release the lock, or pass it to the next ticket.
	 * @param notified gets to know of a notification of other JVMs
	 * @return whether the lock was held
	 */
	boolean release(LockConnection connection, Ticket ticket, long used, @Nullable Successor next, Runnable notified) {
		Map<String, ?> values = Map.of("key", key(ticket.key()), "owner", ticket.token(), "used", used, "tokens",
				(long) this.settings.tokensPerGrant(), "recent", this.recentAttemptMicros, "wait", this.rowWait, "self",
				this.self, "next", (next != null) ? next.ticket().token() : "", "lease",
				(next != null) ? micros(next.lease()) : 0L);
		if (!notifies()) {
			return connection.update("release", values) == 1;
		}
		try {
			List<Boolean> released = connection.query("releaseAndNotify", values,
					(row, number) -> row.getObject(1) != null);
			if (released.contains(true)) {
				notified.run();
			}
			return !released.isEmpty();
		}
		catch (DataAccessException ex) {
			if (!JdbcExceptionTranslator.mayBeNotification(ex)) {
				throw ex;
			}
			logger.debug("A release is sent again without NOTIFY", ex);
			return connection.update("release", values) == 1;
		}
	}

	/** Read the row of a lock. */
	LeaseRow read(LockConnection connection, TimeSource.Instant sent, String key) {
		return first(connection.query("read", Map.of("key", key(key)), (row, number) -> LeaseRow.read(row, sent)),
				sent);
	}

	/** Extend leases. */
	List<RenewalResult> renew(LockConnection connection, TimeSource.Instant sent, List<Renewal> renewals) {
		List<Map<String, ?>> values = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			values.add(Map.of("key", key(renewal.ticket().key()), "owner", renewal.ticket().token(), "fence",
					renewal.lastToken(), "lease", micros(renewal.lease()), "wait", this.rowWait));
		}
		int[] counts = (values.size() == 1) ? new int[] { connection.update("renew", values.get(0)) }
				: connection.batch("renew", values);
		List<RenewalResult> results = new ArrayList<>(counts.length);
		for (int i = 0; i < counts.length; i++) {
			// Some drivers return no counts for a batch, or 0 for a row that did not
			// change.
			boolean held = counts[i] == 1 || !connection.query("holds", values.get(i), (row, number) -> true).isEmpty();
			results.add(held ? new RenewalResult.Extended(Validity.until(sent, renewals.get(i).lease()))
					: new RenewalResult.Gone(false));
		}
		return results;
	}

	/**
	 * End a grant, whatever renewed it last, and note that an operator has ended it. The
	 * holder reads the note when it finds its grant gone. Returns whether the lock was
	 * held until now.
	 */
	boolean end(LockConnection connection, byte[] key, LeaseRow row) {
		boolean ended = connection.update("endGrant",
				Map.of("key", key, "owner", row.owner(), "fence", row.fence())) == 1;
		if (ended) {
			byte[] note = noteKey(row.owner());
			connection.update("insert", Map.of("key", note));
			long until = row.nowMicros() + micros(row.remaining());
			connection.update("noteEnd", Map.of("key", note, "until", until, "ended", row.fence()));
		}
		return ended;
	}

	/**
	 * Return the last token of the grant of a ticket that an operator has ended, nothing
	 * if there is no note of that.
	 */
	List<Long> endedGrant(LockConnection connection, Ticket ticket) {
		return connection.query("ended", Map.of("key", noteKey(ticket.token())), (row, number) -> row.getLong(1));
	}

	/** No lock has a key that begins with this character, unless the prefix does. */
	private static byte[] noteKey(String ticket) {
		return bytes("\u0001" + ticket);
	}

	private static LeaseRow first(List<LeaseRow> rows, TimeSource.Instant sent) {
		return rows.isEmpty() ? new LeaseRow("", 0, Duration.ZERO, 0, sent) : rows.get(0);
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

	/**
	 * The row of a lock.
	 *
	 * @param owner the ticket that holds the lock, empty if the lock is free
	 * @param fence the last token of the grant
	 * @param remaining the rest of the lease, zero if it has expired
	 * @param nowMicros when the statement began, by the clock of the database
	 * @param sent a moment before the statement was sent
	 */
	record LeaseRow(String owner, long fence, Duration remaining, long nowMicros, TimeSource.Instant sent) {

		private static LeaseRow read(ResultSet row, TimeSource.Instant sent) throws SQLException {
			return new LeaseRow(row.getString(1), row.getLong(2),
					Duration.of(Math.max(0, row.getLong(3)), ChronoUnit.MICROS), row.getLong(4), sent);
		}

		/** Return whether a ticket holds the lock by a lease. */
		boolean isHeld() {
			return !this.owner.isEmpty() && !this.remaining.isZero();
		}

		/**
		 * Return how long the lock has been held, zero if the clock was set back.
		 * @param tokens how many tokens the grant covers
		 */
		Duration grantAge(long tokens) {
			return Duration.of(Math.max(0, this.nowMicros - (this.fence - tokens + 1)), ChronoUnit.MICROS);
		}

		/**
		 * Return what holds the lock. The first token of a grant is the time of the
		 * grant, unless the clock was set back.
		 * @param tokens how many tokens the grant covers
		 * @return the holder, or {@code null} if the lock is free
		 */
		@Nullable StoredHolder holder(long tokens) {
			if (!isHeld()) {
				return null;
			}
			long first = this.fence - tokens + 1;
			Instant since = (first <= this.nowMicros) ? Instant.EPOCH.plus(first, ChronoUnit.MICROS) : null;
			String instance = this.owner.replaceFirst(":[^:]*$", "");
			return new StoredHolder(instance, LockMode.EXCLUSIVE, since, this.remaining, first);
		}

	}

}
