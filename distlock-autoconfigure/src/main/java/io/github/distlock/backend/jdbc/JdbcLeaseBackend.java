package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import javax.sql.DataSource;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;
import org.jspecify.annotations.Nullable;

/**
 * Locks as rows of a table, each with an owner and a lease that ends by the clock of the
 * database: a unique key is the lock. One statement an attempt, in a transaction of its
 * own, on a connection that is the store's only meanwhile. A waiting JVM looks again from
 * time to time; nobody signals it. Thread-safe.
 */
public final class JdbcLeaseBackend implements LockBackend {

	private static final int BATCH_SIZE = 100;

	/** Not sooner does a waiter look for the end of the holder's lease. */
	private static final long SHORTEST_LOOK_MILLIS = 10;

	private final DataSource dataSource;

	private final JdbcBackendSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	private volatile @Nullable Open open;

	/**
	 * Create the store. Sends nothing yet.
	 * @param dataSource the database
	 * @param settings how to work
	 * @param clock the time
	 */
	public JdbcLeaseBackend(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		this.dataSource = dataSource;
		this.settings = settings;
		this.clock = clock;
		this.description = new BackendDescription("jdbc", Set.of(LockMode.EXCLUSIVE), false, true,
				settings.tokensPerGrant(), settings.commandTimeout(), BATCH_SIZE);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void validateKey(String key) {
		LockKeys.validate(key);
	}

	@Override
	public void start(String instance, LockSignals signals) {
		JdbcResources store = JdbcResources.lease(this.dataSource, this.settings, this.clock);
		this.open = new Open(store, new LockTable(store.source(), this.settings));
	}

	@Override
	public void stop() {
		Open current = this.open;
		this.open = null;
		if (current != null) {
			current.store().close();
		}
	}

	@Override
	public void verify() {
		required().store().verify();
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		Open current = required();
		LeaseRow row = current.store()
			.commands()
			.run(Kind.ATTEMPT, "attempt", ticket.key(),
					(connection, sent) -> current.table().attempt(connection, sent, ticket, lease, queue));
		current.store().cleaner().rowUsed();
		return answer(ticket, row, queue);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		Open current = required();
		return current.store().commands().run(Kind.HOLDER, "release", ticket.key(), (connection, sent) -> {
			LockTable table = current.table();
			boolean released = table.release(connection, ticket, lastToken, next);
			current.store().cleaner().rowUsed();
			if (next == null) {
				return new ReleaseResult(released, null);
			}
			LeaseRow row = released ? table.read(connection, sent, ticket.key())
					: table.attempt(connection, sent, next.ticket(), next.lease(), true);
			return new ReleaseResult(released, answer(next.ticket(), row, true));
		});
	}

	@Override
	public void cancel(Ticket ticket) {
		release(ticket, 0, null);
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		Open current = required();
		List<RenewalResult> results = new ArrayList<>(renewals.size());
		try {
			results.addAll(current.store()
				.commands()
				.run(Kind.HOLDER, "renewal", null,
						(connection, sent) -> answers(renewals, current.table().renew(connection, renewals), sent)));
		}
		catch (LockBackendException ex) {
			renewals.forEach((renewal) -> results.add(new RenewalResult.Unknown(ex)));
		}
		return results;
	}

	private static List<RenewalResult> answers(List<Renewal> renewals, List<Boolean> held, TimeSource.Instant sent) {
		List<RenewalResult> results = new ArrayList<>(held.size());
		for (int i = 0; i < held.size(); i++) {
			results.add(held.get(i) ? new RenewalResult.Renewed(Validity.until(sent, renewals.get(i).lease()))
					: new RenewalResult.Gone());
		}
		return results;
	}

	private AttemptResult answer(Ticket ticket, LeaseRow row, boolean queue) {
		if (row.owner().equals(ticket.token())) {
			return new AttemptResult.Granted(new Grant(row.fence() - this.settings.tokensPerGrant() + 1, row.fence(),
					Validity.until(row.sent(), row.remaining())));
		}
		return queue ? new AttemptResult.Waiting(lookAgain(row), false) : new AttemptResult.Busy(row.remaining());
	}

	/**
	 * After about the poll interval, sooner if the lease ends before. If the lock is free
	 * now it was left to those who wait, and they need an interval to find it.
	 */
	private Duration lookAgain(LeaseRow row) {
		double jitter = ThreadLocalRandom.current().nextDouble();
		long interval = this.settings.pollInterval().toMillis();
		if (row.owner().isEmpty()) {
			return Duration.ofMillis((long) (interval * (1.1 + jitter / 2)));
		}
		long end = Math.max(SHORTEST_LOOK_MILLIS, row.remaining().toMillis() + 1);
		return Duration.ofMillis((long) (Math.min(interval * 0.75, end) + interval * jitter / 4));
	}

	private Open required() {
		Open current = this.open;
		if (current == null) {
			throw JdbcThreads.stopped();
		}
		return current;
	}

	private record Open(JdbcResources store, LockTable table) {
	}

}
