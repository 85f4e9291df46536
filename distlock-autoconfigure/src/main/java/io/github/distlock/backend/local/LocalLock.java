package io.github.distlock.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
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
 * one, or all are readers; and the next ticket cannot join them, except that leases may
 * have ended since.
 */
final class LocalLock {

	/**
	 * Longest delay until a waiting ticket is attempted again. The ticket is notified of
	 * its grant, but the thread that notifies it may run out of memory.
	 */
	private static final Duration LONGEST_RETRY_DELAY = Duration.ofSeconds(5);

	/** Holders and waiting tickets, in the order of arrival. */
	private final Map<Ticket, LocalPlace> line = new LinkedHashMap<>(2);

	/** The next fencing token is higher than this. */
	private long lastToken;

	/** When the command began, by the monotonic clock of the store. */
	private long now;

	/** When the command began, as a token. */
	private long micros;

	/** What the command reports to other tickets, to be sent without the lock. */
	private List<Runnable> signals = List.of();

	LocalLock(long lastToken) {
		this.lastToken = lastToken;
	}

	long lastToken() {
		return this.lastToken;
	}

	List<Runnable> signals() {
		return this.signals;
	}

	/** Whether no ticket waits, and no ticket held the lock when the command began. */
	boolean isUnused() {
		return this.line.isEmpty();
	}

	/** A command begins: leases may have ended. */
	void begin(long nowNanos, long nowMicros) {
		this.now = nowNanos;
		this.micros = nowMicros;
		this.signals = new ArrayList<>(0);
		this.line.values().removeIf((place) -> place.isHolder() && place.remainingNanos() <= 0);
	}

	/** A ticket that waits keeps its place, and may change its lease. */
	AttemptResult attempt(LocalLockStore user, Ticket ticket, Duration lease, boolean queue, TimeSource.Instant sent) {
		boolean isNew = !this.line.containsKey(ticket);
		LocalPlace place = this.line.computeIfAbsent(ticket, (absent) -> new LocalPlace(absent, user));
		if (!place.isHolder()) {
			place.lease = lease;
		}
		grantNext(place);
		if (place.isHolder()) {
			return new AttemptResult.Granted(place.grant(sent, this.now));
		}
		LongSummaryStatistics leases = holders().mapToLong(LocalPlace::remainingNanos).summaryStatistics();
		StoredHolder holder = holders().findFirst().map(LocalPlace::describe).orElse(null);
		if (!queue) {
			if (isNew) {
				this.line.remove(ticket);
			}
			// All readers have to leave.
			return new AttemptResult.Busy(Duration.ofNanos(leases.getMax()), holder, false);
		}
		// One millisecond later the lease has certainly ended.
		Duration delay = Duration.ofNanos(Math.min(leases.getMin() + 1_000_000, LONGEST_RETRY_DELAY.toNanos()));
		return new AttemptResult.Queued(delay, isNew, holder, false);
	}

	/**
	 * Grant the lock to all that may hold it now: the first in the line, or all readers
	 * up to the first writer.
	 * @param asking the ticket that learns of its grant by the answer
	 */
	private void grantNext(@Nullable LocalPlace asking) {
		boolean first = true;
		for (LocalPlace place : this.line.values()) {
			if (!first && !place.ticket.isReader()) {
				return;
			}
			if (!place.isHolder()) {
				place.firstToken = Math.max(this.lastToken + 1, this.micros);
				place.endNanos = this.now + place.lease.toNanos();
				this.lastToken = place.lastToken();
				if (place != asking) {
					this.signals.add(() -> place.user.granted(place));
				}
			}
			if (!place.ticket.isReader()) {
				return;
			}
			first = false;
		}
	}

	/**
	 * Remove a holder that has used tokens up to this one: the others are given again.
	 * @return whether the ticket held the lock
	 */
	boolean release(Ticket ticket, long usedToken) {
		LocalPlace place = this.line.get(ticket);
		if (place == null || !place.isHolder()) {
			return false;
		}
		if (place.lastToken() == this.lastToken && usedToken >= place.firstToken) {
			this.lastToken = Math.min(this.lastToken, usedToken);
		}
		cancel(ticket);
		return true;
	}

	/** Remove a ticket, whether it waits or holds the lock. */
	Ticket cancel(Ticket ticket) {
		this.line.remove(ticket);
		grantNext(null);
		return ticket;
	}

	RenewalResult renew(Renewal renewal, TimeSource.Instant sent) {
		LocalPlace place = this.line.get(renewal.ticket());
		if (place == null || !place.isHolder() || place.lastToken() != renewal.lastToken()) {
			return new RenewalResult.Gone(false);
		}
		// A lease is never shortened.
		place.endNanos = Math.max(place.endNanos - this.now, renewal.lease().toNanos()) + this.now;
		return new RenewalResult.Extended(Validity.until(sent, renewal.lease()));
	}

	StoredLock inspect(String key) {
		return new StoredLock(key, holders().map(LocalPlace::describe).toList(),
				this.line.values()
					.stream()
					.filter((place) -> !place.isHolder())
					.map((place) -> new StoredWaiter(place.ticket.instance(), place.ticket.mode()))
					.toList());
	}

	/** The holder may still use any token of the grant, so none is given again. */
	EndResult end(long grantToken) {
		LocalPlace ended = holders().filter((place) -> place.firstToken == grantToken).findAny().orElse(null);
		if (ended == null) {
			return holders().findAny().isPresent() ? EndResult.CHANGED : EndResult.NOT_HELD;
		}
		// First, so that it learns of the end before a renewal fails.
		this.signals.add(() -> ended.user.ended(ended));
		this.line.remove(ended.ticket);
		grantNext(null);
		return EndResult.ENDED;
	}

	private Stream<LocalPlace> holders() {
		return this.line.values().stream().takeWhile(LocalPlace::isHolder);
	}

	/** The place of a ticket in the line. */
	final class LocalPlace {

		final Ticket ticket;

		private final LocalLockStore user;

		/** What the last attempt has asked for. */
		private Duration lease = Duration.ZERO;

		/** The first token of the grant; zero while the ticket waits. */
		private long firstToken;

		/** The end of the lease, by the monotonic clock of the store. */
		private volatile long endNanos;

		LocalPlace(Ticket ticket, LocalLockStore user) {
			this.ticket = ticket;
			this.user = user;
		}

		private boolean isHolder() {
			return this.firstToken != 0;
		}

		long firstToken() {
			return this.firstToken;
		}

		/** A reader's grant has one token, since it is never handed on in its JVM. */
		private long lastToken() {
			return this.ticket.isReader() ? this.firstToken : this.firstToken + this.user.tokensPerGrant() - 1;
		}

		/** The rest of the lease when the command began. */
		private long remainingNanos() {
			return this.endNanos - LocalLock.this.now;
		}

		/**
		 * The grant, for its JVM. The remaining time is read after the given instant, so
		 * the validity ends before the lease in the store.
		 */
		Grant grant(TimeSource.Instant before, long nowNanos) {
			return new Grant(this.firstToken, lastToken(),
					Validity.until(before, Duration.ofNanos(Math.max(0, this.endNanos - nowNanos))));
		}

		/** The holder, for an operator. */
		private StoredHolder describe() {
			return new StoredHolder(this.ticket.instance(), this.ticket.mode(),
					Instant.EPOCH.plus(this.firstToken, ChronoUnit.MICROS), Duration.ofNanos(remainingNanos()),
					this.firstToken);
		}

	}

}
