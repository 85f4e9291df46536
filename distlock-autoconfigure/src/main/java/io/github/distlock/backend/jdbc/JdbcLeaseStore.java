package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link JdbcLeaseBackend}: sends each verb as one command.
 * Thread-safe.
 */
final class JdbcLeaseStore implements LockStore {

	private final JdbcResources resources;

	private final JdbcBackendSettings settings;

	private final BackendDescription description;

	private final LockSignals signals;

	private final StoreAdministration administration;

	private final ReleaseNotifications notifications;

	private final PollSchedule polls;

	private final RecentReleases releases;

	JdbcLeaseStore(JdbcResources resources, JdbcBackendSettings settings, BackendDescription description,
			StoreContext context, TimeSource clock) {
		this.resources = resources;
		this.settings = settings;
		this.description = description;
		this.signals = context.signals();
		this.administration = new JdbcAdministration(resources, clock);
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
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		if (queue) {
			Duration pause = this.releases.pause(ticket.key());
			if (!pause.isZero()) {
				return new AttemptResult.Queued(pause, false);
			}
			this.notifications.attempts(ticket);
		}
		LeaseRow row = this.resources.executor()
			.run(Kind.ATTEMPT, "attempt", ticket.key(),
					(connection, sent) -> this.resources.table().attempt(connection, sent, ticket, lease, queue));
		this.resources.cleaner().rowUsed();
		return answer(ticket, row, queue);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
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
			this.resources.instances().signalEnded(List.of(ticket), this.signals);
		}
		return result;
	}

	@Override
	public void cancel(Ticket ticket) {
		this.notifications.ends(ticket);
		this.resources.executor().run(Kind.HOLDER, "cancellation", ticket.key(), (connection, sent) -> {
			this.resources.cleaner().rowUsed();
			return this.resources.table()
				.release(connection, ticket, 0, null, () -> this.releases.notified(ticket.key(), sent));
		});
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		List<RenewalResult> results = new ArrayList<>(renewals.size());
		try {
			results.addAll(this.resources.executor()
				.run(Kind.HOLDER, "renewal", null, (connection, sent) -> answers(renewals,
						this.resources.table().renew(connection, renewals), sent)));
		}
		catch (LockBackendException ex) {
			renewals.forEach((renewal) -> results.add(new RenewalResult.Unknown(ex)));
		}
		this.resources.instances().signalEnded(renewals, results, this.signals);
		return results;
	}

	/** Return what wakes the waiting tickets of this JVM. */
	ReleaseNotifications notifications() {
		return this.notifications;
	}

	@Override
	public StoreAdministration administration() {
		return this.administration;
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
