package io.github.distlock.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.Stream;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of one key, and the verbs for it. The store forgets it when no ticket is
 * left. Guarded by the lock of the {@link LocalStore}.
 * <p>
 * Invariant, whenever that lock is free: the holders are the first in the line; there is
 * one, or all are readers; and the next ticket cannot join them ({@link Ticket#mayJoin}),
 * except that leases may have ended since.
 */
final class LocalLock {

	private static final long FOREVER_NANOS = Duration.ofDays(36500).toNanos();

	/** Does not end by itself, so that the store need not confirm it. */
	private static final Validity UNTIL_RELEASE = Validity.session(() -> FOREVER_NANOS);

	/** Holders and waiting tickets, in the order of arrival. */
	private final Map<Ticket, LocalPlace> line = new LinkedHashMap<>(2);

	private final TimeSource clock;

	/** The next fencing token is higher than this. */
	long lastToken;

	/** When the command began, by the monotonic clock of the store. */
	private long now;

	/** When the command began, as a token. */
	private long micros;

	/** What the command reports to other tickets, to be sent without the lock. */
	private List<Runnable> signals = List.of();

	LocalLock(TimeSource clock, long lastToken) {
		this.clock = clock;
		this.lastToken = lastToken;
	}

	/** Whether no ticket waits, and no ticket held the lock when the command began. */
	boolean isUnused() {
		return this.line.isEmpty();
	}

	/** A command begins: leases may have ended, and JVMs that wait may have gone. */
	void begin(long nowNanos, long nowMicros, List<Runnable> commandSignals) {
		this.now = nowNanos;
		this.micros = nowMicros;
		this.signals = commandSignals;
		this.line.values().removeIf((place) -> place.isHolder() ? place.remainingNanos() <= 0 : place.user.closed);
	}

	/**
	 * A ticket that waits keeps its place, and may change its lease.
	 * @param sent a reading of the caller's clock before the command began; {@code null}
	 * if it has to be read
	 */
	AttemptResult attempt(LocalLockStore user, Ticket ticket, Duration lease, boolean queue,
			TimeSource.@Nullable Instant sent) {
		boolean isNew = !this.line.containsKey(ticket);
		LocalPlace place = this.line.computeIfAbsent(ticket, (absent) -> new LocalPlace(absent, user));
		place.lease = lease;
		grantNext(place, sent);
		if (place.grant != null) {
			return place.grant;
		}
		LongSummaryStatistics leases = holders().mapToLong(LocalPlace::remainingNanos).summaryStatistics();
		StoredHolder holder = holders().findFirst().map(LocalPlace::describe).orElse(null);
		if (!queue) {
			if (isNew) {
				this.line.remove(ticket);
			}
			// All readers have to leave before a writer enters, and one before a permit.
			return new AttemptResult.Busy(Duration.ofNanos(ticket.isReader() ? leases.getMin() : leases.getMax()),
					holder);
		}
		// One millisecond later the lease has certainly ended.
		return new AttemptResult.Queued(Duration.ofNanos(leases.getMin() + 1_000_000), isNew, holder);
	}

	/**
	 * Grant the lock to all that may hold it now: the first in the line, or all readers
	 * up to the first ticket that cannot join them.
	 * @param asking the ticket that learns of its grant by the answer
	 */
	private void grantNext(@Nullable LocalPlace asking, TimeSource.@Nullable Instant sent) {
		int before = 0;
		for (LocalPlace place : this.line.values()) {
			if (!place.isHolder()) {
				if (before > 0 && !place.ticket.mayJoin(before)) {
					return;
				}
				Grant grant = place.grant((place == asking) ? sent : null);
				if (place != asking) {
					this.signals.add(() -> place.user.signals.granted(place.ticket, grant));
				}
			}
			if (!place.ticket.isReader()) {
				return;
			}
			before++;
		}
	}

	/**
	 * Remove a holder that has used tokens up to this one: the others are given again.
	 * @return whether the ticket held the lock
	 */
	boolean release(Ticket ticket, long usedToken) {
		LocalPlace place = this.line.get(ticket);
		if (place == null || place.grant == null) {
			return false;
		}
		if (place.grant.lastToken() == this.lastToken && usedToken >= place.grant.firstToken()) {
			this.lastToken = Math.min(this.lastToken, usedToken);
		}
		cancel(ticket);
		return true;
	}

	/** Remove a ticket, whether it waits or holds the lock. */
	Ticket cancel(Ticket ticket) {
		this.line.remove(ticket);
		grantNext(null, null);
		return ticket;
	}

	RenewalResult renew(Renewal renewal, TimeSource.Instant sent) {
		LocalPlace place = this.line.get(renewal.ticket());
		if (place == null || place.grant == null || place.grant.lastToken() != renewal.lastToken()) {
			return new RenewalResult.Gone(false);
		}
		// A lease is never shortened.
		place.endNanos = Math.max(place.remainingNanos(), renewal.lease().toNanos()) + this.now;
		Validity validity = Validity.until(sent, renewal.lease());
		place.grant = new Grant(place.grant.firstToken(), place.grant.lastToken(), validity);
		return new RenewalResult.Extended(validity);
	}

	StoredLock inspect(String key) {
		List<StoredHolder> holders = holders().map(LocalPlace::describe).toList();
		return new StoredLock(key, holders,
				this.line.keySet()
					.stream()
					.skip(holders.size())
					.map((ticket) -> new StoredWaiter(ticket.instance(), ticket.mode(), ticket.permits()))
					.toList());
	}

	/** The holder may still use any token of the grant, so none is given again. */
	EndResult end(long grantToken) {
		LocalPlace ended = holders().filter((place) -> place.describe().grantToken() == grantToken)
			.findAny()
			.orElse(null);
		if (ended == null) {
			return holders().findAny().isPresent() ? EndResult.CHANGED : EndResult.NOT_HELD;
		}
		if (!ended.user.closed) {
			// First, so that it learns of the end before a renewal fails.
			this.signals.add(() -> ended.user.signals.ended(ended.ticket, grantToken));
		}
		cancel(ended.ticket);
		return EndResult.ENDED;
	}

	private Stream<LocalPlace> holders() {
		return this.line.values().stream().takeWhile(LocalPlace::isHolder);
	}

	/** The place of a ticket in the line. */
	private final class LocalPlace {

		private final Ticket ticket;

		private final LocalLockStore user;

		/** What the last attempt has asked for. */
		private Duration lease = Duration.ZERO;

		/** {@code null} while the ticket waits. */
		private @Nullable Grant grant;

		/** The end of the lease, by the monotonic clock of the store. */
		private long endNanos;

		LocalPlace(Ticket ticket, LocalLockStore user) {
			this.ticket = ticket;
			this.user = user;
		}

		private boolean isHolder() {
			return this.grant != null;
		}

		/** The rest of the lease when the command began. */
		private long remainingNanos() {
			return this.endNanos - LocalLock.this.now;
		}

		/**
		 * Grant the lock. The clock of the store is read after that of the holder, so
		 * that the validity ends before the lease. A reader's grant has one token, since
		 * it is never handed on in its JVM.
		 */
		private Grant grant(TimeSource.@Nullable Instant sent) {
			if (!this.user.expires) {
				this.endNanos = LocalLock.this.now + FOREVER_NANOS;
				this.grant = new Grant(0, 0, UNTIL_RELEASE);
				return this.grant;
			}
			Validity validity = Validity.until((sent != null) ? sent : this.user.clock.now(), this.lease);
			this.endNanos = this.lease.toNanos()
					+ ((sent != null) ? LocalLock.this.now : LocalLock.this.clock.nanoTime());
			long first = Math.max(LocalLock.this.lastToken + 1, LocalLock.this.micros);
			LocalLock.this.lastToken = first + (this.ticket.isReader() ? 0 : this.user.tokensPerGrant - 1);
			Grant granted = new Grant(first, LocalLock.this.lastToken, validity);
			this.grant = granted;
			return granted;
		}

		/** The holder, for an operator. */
		private StoredHolder describe() {
			long token = (this.grant != null) ? this.grant.firstToken() : 0;
			return new StoredHolder(this.ticket.instance(), this.ticket.mode(),
					Instant.EPOCH.plus(token, ChronoUnit.MICROS), Duration.ofNanos(remainingNanos()), token,
					this.ticket.permits());
		}

	}

}
