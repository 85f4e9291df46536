package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.BlockingLockStore;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link JdbcLeaseBackend}: sends each verb as one command.
 * Thread-safe.
 */
final class JdbcLeaseStore extends BlockingLockStore {

	private static final Log logger = LogFactory.getLog(JdbcLeaseStore.class);

	private final JdbcResources resources;

	private final JdbcBackendSettings settings;

	private final BackendDescription description;

	private final LockSignals signals;

	private final JdbcInspection inspection;

	private final ReleaseNotifications notifications;

	private final PollSchedule polls;

	private final RecentReleases releases;

	JdbcLeaseStore(JdbcResources resources, JdbcBackendSettings settings, BackendDescription description,
			StoreContext context, TimeSource clock) {
		this.resources = resources;
		this.settings = settings;
		this.description = description;
		this.signals = context.signals();
		this.inspection = new JdbcInspection(resources);
		this.notifications = resources.notifications(this.signals, settings.commandTimeout(), clock);
		this.releases = new RecentReleases(clock);
		this.polls = new PollSchedule(settings.pollInterval(), clock, context.random()::nextDouble);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void close() {
		try {
			this.notifications.close();
		}
		finally {
			this.resources.close();
		}
	}

	@Override
	public void verify() {
		this.resources.verify();
	}

	@Override
	protected AttemptResult attemptNow(Ticket ticket, Duration lease, AttemptOptions options) {
		if (options.queue()) {
			Duration pause = this.releases.pause(ticket.key());
			if (!pause.isZero()) {
				return new AttemptResult.Queued(pause, false);
			}
			this.notifications.attempts(ticket);
		}
		LeaseRow row = this.resources.executor()
			.run(Kind.ATTEMPT, "attempt", ticket.key(), (connection, sent) -> this.resources.table()
				.attempt(connection, sent, ticket, lease, options.queue()));
		this.resources.cleaner().rowUsed();
		return answer(ticket, row, options.queue());
	}

	@Override
	protected ReleaseResult releaseNow(Ticket ticket, long lastToken, @Nullable Successor next) {
		this.notifications.ends(ticket);
		ReleaseResult result = this.resources.executor()
			.run(Kind.HOLDER, "release", ticket.key(), (connection, sent) -> {
				boolean released = this.resources.table()
					.release(connection, ticket, lastToken, next, () -> this.releases.notified(ticket.key(), sent));
				if (!released && connection.repeats) {
					// The session that was lost may have released it.
					throw JdbcExceptionTranslator.noAnswer("release", ticket.key());
				}
				this.resources.cleaner().rowUsed();
				if (next == null) {
					return new ReleaseResult(released, null);
				}
				LeaseRow row = released ? this.resources.table().read(connection, sent, ticket.key())
						: this.resources.table().attempt(connection, sent, next.ticket(), next.lease(), true);
				return new ReleaseResult(released, answer(next.ticket(), row, true));
			});
		if (!result.released()) {
			signalEnded(List.of(ticket));
		}
		return result;
	}

	@Override
	protected void cancelNow(Ticket ticket) {
		this.notifications.ends(ticket);
		this.resources.executor().run(Kind.HOLDER, "cancellation", ticket.key(), (connection, sent) -> {
			this.resources.cleaner().rowUsed();
			return this.resources.table()
				.release(connection, ticket, 0, null, () -> this.releases.notified(ticket.key(), sent));
		});
	}

	@Override
	protected List<RenewalResult> renewNow(List<Renewal> renewals) {
		List<RenewalResult> results = new ArrayList<>(renewals.size());
		try {
			results.addAll(this.resources.executor()
				.run(Kind.HOLDER, "renewal", null, (connection, sent) -> answers(renewals,
						this.resources.table().renew(connection, renewals), sent)));
		}
		catch (LockBackendException ex) {
			renewals.forEach((renewal) -> results.add(new RenewalResult.Unknown(ex)));
		}
		signalEnded(IntStream.range(0, results.size())
			.filter((i) -> results.get(i) instanceof RenewalResult.Gone)
			.mapToObj((i) -> renewals.get(i).ticket())
			.toList());
		return results;
	}

	/**
	 * Signal which of some grants an operator has ended, in one command. Never fails: the
	 * note only explains a loss.
	 * @param gone the tickets that do not hold their locks any more
	 */
	private void signalEnded(List<Ticket> gone) {
		if (gone.isEmpty()) {
			return;
		}
		Map<Ticket, Long> ended = new HashMap<>();
		try {
			this.resources.executor().run(Kind.HOLDER, "look-up of ended grants", null, (connection, sent) -> {
				for (Ticket ticket : gone) {
					Long lastToken = this.resources.table().endedGrant(connection, ticket);
					if (lastToken != null) {
						ended.put(ticket, lastToken);
					}
				}
				return true;
			});
		}
		catch (LockBackendException ex) {
			logger.debug("It is not known whether an operator has ended grants", ex);
		}
		ended
			.forEach((ticket, lastToken) -> this.signals.ended(ticket, lastToken - this.settings.tokensPerGrant() + 1));
	}

	/** Return what wakes the waiting tickets of this JVM. */
	ReleaseNotifications notifications() {
		return this.notifications;
	}

	@Override
	public String location() {
		return this.resources.location();
	}

	@Override
	public void ping() {
		this.resources.ping();
	}

	@Override
	public StoreInspection inspection() {
		return this.inspection;
	}

	private static List<RenewalResult> answers(List<Renewal> renewals, List<Boolean> held, TimeSource.Instant sent) {
		List<RenewalResult> results = new ArrayList<>(held.size());
		for (int i = 0; i < held.size(); i++) {
			results.add(held.get(i) ? new RenewalResult.Extended(Validity.until(sent, renewals.get(i).lease()))
					: new RenewalResult.Gone());
		}
		return results;
	}

	private AttemptResult answer(Ticket ticket, LeaseRow row, boolean queue) {
		if (row.owner().equals(ticket.token())) {
			this.notifications.ends(ticket);
			return new AttemptResult.Granted(new Grant(row.fence() - this.settings.tokensPerGrant() + 1, row.fence(),
					Validity.until(row.sent(), row.remaining())));
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

}
