package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.jdbc.JdbcCommands.Kind;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link JdbcBackend} in the mode {@code lease}: sends each verb as
 * one command. Thread-safe.
 */
final class JdbcLeaseStore extends JdbcStore {

	private static final Log logger = LockLog.of(JdbcLeaseStore.class);

	/** What wakes the waiting tickets of this JVM. */
	final ReleaseNotifications notifications;

	private final PollSchedule polls;

	private final RecentReleases releases;

	/**
	 * Open the store. It has two threads more than connections: releases and renewals
	 * need them while attempts use all they can.
	 */
	JdbcLeaseStore(LockPool pool, JdbcBackendSettings settings, StoreContext context, TimeSource clock) {
		super(pool, settings, settings.poolSize() + 2, settings.poolSize() - 1, context, clock);
		this.notifications = new ReleaseNotifications(pool, this.table, this.signals, settings.commandTimeout(), clock);
		this.releases = new RecentReleases(clock);
		this.polls = new PollSchedule(settings.pollInterval().toNanos() / 1000, context.random()::nextDouble);
	}

	@Override
	public void close() {
		try {
			this.notifications.close();
		}
		finally {
			closeConnections();
		}
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		if (queue) {
			Duration pause = this.releases.pause(ticket.key());
			if (!pause.isZero()) {
				return CompletableFuture.completedFuture(new AttemptResult.Queued(pause, false));
			}
			this.notifications.attempts(ticket);
		}
		LeaseRow row = this.commands.run(Kind.ATTEMPT, "attempt", ticket.key(),
				(connection, sent) -> this.table.attempt(connection, sent, ticket, lease, queue));
		return CompletableFuture.completedFuture(answer(ticket, row, queue));
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		this.notifications.ends(ticket);
		ReleaseResult result = this.commands.run(Kind.HOLDER, "release", ticket.key(), (connection, sent) -> {
			boolean released = this.table.release(connection, ticket, lastToken, next,
					() -> this.releases.notified(ticket.key(), sent));
			if (!released && connection.repeats) {
				// The session that was lost may have released it.
				throw this.pool.noAnswer("release", ticket.key(), null);
			}
			if (next == null) {
				return new ReleaseResult(released, null);
			}
			LeaseRow row = released ? this.table.read(connection, sent, ticket.key())
					: this.table.attempt(connection, sent, next.ticket(), next.lease(), true);
			return new ReleaseResult(released, answer(next.ticket(), row, true));
		});
		if (!result.released()) {
			signalEnded(List.of(ticket));
		}
		return CompletableFuture.completedFuture(result);
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		this.notifications.ends(ticket);
		return CompletableFuture.completedFuture(
				this.commands.run(Kind.HOLDER, "cancellation", ticket.key(), (connection, sent) -> this.table
					.release(connection, ticket, 0, null, () -> this.releases.notified(ticket.key(), sent))));
	}

	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		List<RenewalResult> results;
		try {
			String key = (renewals.size() == 1) ? renewals.get(0).ticket().key() : null;
			results = this.commands.run(Kind.HOLDER, "renewal", key,
					(connection, sent) -> this.table.renew(connection, sent, renewals));
		}
		catch (LockBackendException ex) {
			return CompletableFuture.completedFuture(unknown(renewals, ex));
		}
		signalEnded(IntStream.range(0, results.size())
			.filter((i) -> results.get(i) instanceof RenewalResult.Gone)
			.mapToObj((i) -> renewals.get(i).ticket())
			.toList());
		return CompletableFuture.completedFuture(results);
	}

	/**
	 * Signal which of some grants an operator has ended. Never fails: the note only
	 * explains a loss.
	 * @param gone the tickets that do not hold their locks any more
	 */
	private void signalEnded(List<Ticket> gone) {
		try {
			for (Ticket ticket : gone) {
				List<Long> lastTokens = this.commands.run(Kind.HOLDER, "look-up of an ended grant", ticket.key(),
						(connection, sent) -> this.table.endedGrant(connection, ticket));
				lastTokens.forEach((token) -> this.signals.ended(ticket, token - this.settings.tokensPerGrant() + 1));
			}
		}
		catch (LockBackendException ex) {
			logger.debug("It is not known whether an operator has ended grants", ex);
		}
	}

	private AttemptResult answer(Ticket ticket, LeaseRow row, boolean queue) {
		if (row.owner().equals(ticket.token())) {
			this.notifications.ends(ticket);
			return new Grant(row.fence() - this.settings.tokensPerGrant() + 1, row.fence(),
					Validity.until(row.sent(), row.remaining()));
		}
		StoredHolder holder = row.holder(this.settings.tokensPerGrant());
		if (!queue) {
			return new AttemptResult.Busy(row.remaining(), holder);
		}
		this.notifications.waits(ticket);
		// With notifications, an early poll would find the lock held.
		Duration retry = this.polls.retryAfter(row, row.grantAge(this.settings.tokensPerGrant()),
				!this.notifications.isListening());
		return new AttemptResult.Queued(retry, false, holder);
	}

	/**
	 * The locks that this JVM has released a moment ago, with a notification for others.
	 * Its own next attempt would otherwise always be the first one: it comes after the
	 * time that another JVM needs to receive the notification and to send an attempt.
	 */
	static final class RecentReleases {

		/** For two switches of threads. */
		private static final long SHORTEST_NANOS = Duration.ofMillis(5).toNanos();

		private static final long LONGEST_NANOS = Duration.ofMillis(10).toNanos();

		private final TimeSource clock;

		/**
		 * Until when attempts wait, by the key. Each entry is removed soon after that.
		 */
		private final ConcurrentMap<String, Long> untilNanos = new ConcurrentHashMap<>();

		RecentReleases(TimeSource clock) {
			this.clock = clock;
		}

		/**
		 * Note that another JVM was notified of a release.
		 * @param sent a moment before the release was sent
		 */
		void notified(String key, TimeSource.Instant sent) {
			long now = this.clock.nanoTime();
			long roundTrips = 2 * (now - sent.nanos());
			this.untilNanos.values().removeIf((until) -> until - now <= 0);
			this.untilNanos.put(key, now + Math.min(LONGEST_NANOS, Math.max(SHORTEST_NANOS, roundTrips)));
		}

		/** Return how long an attempt has to wait, zero if it need not. */
		Duration pause(String key) {
			Long until = this.untilNanos.isEmpty() ? null : this.untilNanos.get(key);
			return (until != null) ? Duration.ofNanos(Math.max(0, until - this.clock.nanoTime())) : Duration.ZERO;
		}

	}

	/**
	 * Decides when a waiting ticket attempts again. While a grant is young, the ticket
	 * polls as often as the grant is old: so a lock that is held for a short time is
	 * found soon after its release, and one that is held for long costs one statement per
	 * interval.
	 *
	 * @param intervalMicros the poll interval
	 * @param random returns numbers from 0 to 1
	 */
	record PollSchedule(long intervalMicros, DoubleSupplier random) {

		/**
		 * Shortest time until the retry that expects the lease of the holder to have
		 * expired.
		 */
		private static final long MIN_RETRY_MICROS = 10_000;

		/** An early poll comes after this share of the interval or later. */
		private static final int EARLIEST_SHARE = 8;

		/**
		 * Return when to attempt again. The retry comes earlier if the lease of the
		 * holder ends. A free lock was left to other JVMs on purpose: they need up to one
		 * interval to find it, so the retry comes later than that.
		 * @param row the row of the lock after the attempt
		 * @param grantAge how long the lock has been held by its grant
		 * @param early whether polls before the interval are useful
		 */
		Duration retryAfter(LeaseRow row, Duration grantAge, boolean early) {
			double jitter = this.random.getAsDouble();
			if (row.owner().isEmpty()) {
				return micros(this.intervalMicros * (1.1 + jitter / 2));
			}
			long age = Math.max(this.intervalMicros / EARLIEST_SHARE, grantAge.toNanos() / 1000);
			long interval = early ? Math.min(this.intervalMicros, age) : this.intervalMicros;
			long end = Math.max(MIN_RETRY_MICROS, row.remaining().toNanos() / 1000 + 1000);
			return micros(Math.min(interval * 0.75, end) + interval * jitter / 4);
		}

		private static Duration micros(double micros) {
			return Duration.ofNanos((long) (micros * 1000));
		}

	}

}
