package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.distlock.backend.LockBackend.Renewal;
import io.github.distlock.backend.LockBackend.Successor;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The statements of the lease mode.
 */
final class LockTable {

	private final LockDataSource source;

	private final JdbcKeys keys;

	private final long tokens;

	/** So long ago others have asked in vain who are still believed to wait. */
	private final long companyMicros;

	LockTable(LockDataSource source, JdbcBackendSettings settings) {
		this.source = source;
		this.keys = new JdbcKeys(settings.keyPrefix());
		this.tokens = settings.tokensPerGrant();
		this.companyMicros = 2 * micros(settings.pollInterval());
	}

	/** Take the lock if it is free; answers what is true then. */
	LeaseRow attempt(LockConnection connection, TimeSource.Instant sent, Ticket ticket, Duration lease, boolean queue) {
		Map<String, ?> values = Map.of("key", this.keys.of(ticket.key()), "owner", ticket.token(), "tokens",
				this.tokens, "lease", micros(lease), "queue", queue ? 1L : 0L);
		if (this.source.dialect().attemptAnswers()) {
			return first(connection.query("attempt", values, (row, number) -> LeaseRow.read(row, sent)), sent);
		}
		connection.update("attempt", values);
		return read(connection, sent, ticket.key());
	}

	/** Give the lock back, or pass it to the next. Answers whether it was held. */
	boolean release(LockConnection connection, Ticket ticket, long used, @Nullable Successor next) {
		return connection.update("release",
				Map.of("key", this.keys.of(ticket.key()), "owner", ticket.token(), "used", used, "tokens", this.tokens,
						"next", (next != null) ? next.ticket().token() : "", "lease",
						(next != null) ? micros(next.lease()) : 0L, "company", this.companyMicros)) == 1;
	}

	LeaseRow read(LockConnection connection, TimeSource.Instant sent, String key) {
		return first(
				connection.query("read", Map.of("key", this.keys.of(key)), (row, number) -> LeaseRow.read(row, sent)),
				sent);
	}

	/** Lengthen leases; answers for each whether it is held. */
	List<Boolean> renew(LockConnection connection, List<Renewal> renewals) {
		List<Map<String, ?>> values = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			values.add(Map.of("key", this.keys.of(renewal.ticket().key()), "owner", renewal.ticket().token(), "fence",
					renewal.lastToken(), "lease", micros(renewal.lease())));
		}
		int[] counts = (values.size() == 1) ? new int[] { connection.update("renew", values.get(0)) }
				: connection.batch("renew", values);
		List<Boolean> held = new ArrayList<>(counts.length);
		for (int i = 0; i < counts.length; i++) {
			// Some drivers do not count in batches, or not what was longer already.
			held.add(counts[i] == 1 || !connection.query("holds", values.get(i), (row, number) -> true).isEmpty());
		}
		return held;
	}

	private static LeaseRow first(List<LeaseRow> rows, TimeSource.Instant sent) {
		return rows.isEmpty() ? LeaseRow.none(sent) : rows.get(0);
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

}
