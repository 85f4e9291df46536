package io.github.distlock.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The holders and the queue of one key. The store forgets it when it has neither. Guarded
 * by the lock of the {@link LocalStore}.
 * <p>
 * Invariant, whenever the lock of the store is free: there is one holder, or all holders
 * are readers; and the head of the queue cannot join them, except that leases may have
 * ended since.
 * <p>
 * Most locks have one holder and no queue. Therefore the maps exist only once there is
 * more.
 */
final class LocalLock {

	/**
	 * The oldest holder; if it is {@code null} there are no others. Ended leases are
	 * removed by the next command.
	 */
	private @Nullable LocalGrant oldest;

	/** The holders after it, which are readers, oldest first. */
	private @Nullable Map<Ticket, LocalGrant> others;

	/** The waiting tickets, oldest first. */
	private @Nullable Map<Ticket, LocalTicket> queue;

	/** The next fencing token is higher than this. */
	private long lastToken;

	/**
	 * Begin to serve a key, with neither holders nor a queue.
	 * @param lastToken the next fencing token is higher than this
	 */
	LocalLock begin(long lastToken) {
		this.lastToken = lastToken;
		return this;
	}

	long lastToken() {
		return this.lastToken;
	}

	/** The grant of a ticket, if its lease has not ended. */
	@Nullable LocalGrant find(Ticket ticket, long nowNanos) {
		LocalGrant grant = grantOf(ticket);
		return (grant != null && !grant.hasEnded(nowNanos)) ? grant : null;
	}

	private @Nullable LocalGrant grantOf(Ticket ticket) {
		if (this.oldest != null && this.oldest.isOf(ticket)) {
			return this.oldest;
		}
		return (this.others != null) ? this.others.get(ticket) : null;
	}

	/** The grant of a ticket, if its lease has not ended and no other ticket is here. */
	@Nullable LocalGrant findOnly(Ticket ticket, long nowNanos) {
		return (this.others == null && !hasQueue()) ? find(ticket, nowNanos) : null;
	}

	/** The grants whose leases have not ended, oldest first. */
	Stream<LocalGrant> holders(long nowNanos) {
		return grants().filter((grant) -> !grant.hasEnded(nowNanos));
	}

	private Stream<LocalGrant> grants() {
		Stream<LocalGrant> later = (this.others != null) ? this.others.values().stream() : Stream.empty();
		return Stream.concat(Stream.ofNullable(this.oldest), later);
	}

	/** The waiting tickets, oldest first. */
	Stream<Ticket> waiting() {
		return (this.queue != null) ? this.queue.keySet().stream() : Stream.empty();
	}

	/** The time until all leases have ended. */
	Duration untilLastLeaseEnds(long nowNanos) {
		return remaining(remainingNanos(nowNanos).max().orElse(0));
	}

	/** The time until the first lease ends. */
	Duration untilFirstLeaseEnds(long nowNanos) {
		return remaining(remainingNanos(nowNanos).min().orElse(0));
	}

	private LongStream remainingNanos(long nowNanos) {
		return grants().mapToLong((grant) -> grant.endNanos() - nowNanos);
	}

	private static Duration remaining(long nanos) {
		return Duration.ofNanos(Math.max(0, nanos));
	}

	/**
	 * Grant the lock. Tokens increase even if the clock stands still.
	 */
	LocalGrant grant(LocalTicket holder, long nowNanos, long nowMicros) {
		return grant(holder.ticket(), holder.lease(), holder.user(), nowNanos, nowMicros);
	}

	/** Grant the lock. */
	LocalGrant grant(Ticket ticket, Duration lease, TicketUser user, long nowNanos, long nowMicros) {
		long first = Math.max(this.lastToken + 1, nowMicros);
		LocalGrant grant = new LocalGrant(ticket, user, first, nowNanos + lease.toNanos());
		this.lastToken = grant.lastToken();
		put(grant);
		return grant;
	}

	/** Add a holder, or replace its grant. */
	private void put(LocalGrant grant) {
		if (this.oldest == null || this.oldest.isOf(grant.ticket())) {
			this.oldest = grant;
			return;
		}
		if (this.others == null) {
			this.others = new LinkedHashMap<>();
		}
		this.others.put(grant.ticket(), grant);
	}

	/**
	 * Renew a lease.
	 * @return whether the ticket holds the lock by the grant to be renewed
	 */
	boolean renew(Renewal renewal, long nowNanos) {
		LocalGrant current = find(renewal.ticket(), nowNanos);
		if (current == null || current.lastToken() != renewal.lastToken()) {
			return false;
		}
		put(current.extendedTo(nowNanos + renewal.lease().toNanos()));
		return true;
	}

	/**
	 * Remove a holder.
	 * @param usedToken the last used token: the tokens after it are granted again, if
	 * this grant is the newest
	 */
	void release(LocalGrant grant, long usedToken) {
		if (grant.lastToken() == this.lastToken && usedToken >= grant.firstToken()) {
			this.lastToken = Math.min(this.lastToken, usedToken);
		}
		remove(grant);
	}

	private void remove(LocalGrant grant) {
		LocalGrant second = (this.others != null) ? this.others.values().iterator().next() : null;
		if (grant != this.oldest) {
			removeOther(grant);
		}
		else {
			this.oldest = second;
			if (second != null) {
				removeOther(second);
			}
		}
	}

	private void removeOther(LocalGrant grant) {
		if (this.others != null) {
			this.others.remove(grant.ticket());
			this.others = this.others.isEmpty() ? null : this.others;
		}
	}

	/**
	 * Replace a waiting ticket by the same one with another lease. It keeps its position.
	 */
	void updateLease(LocalTicket ticket) {
		if (this.queue != null) {
			this.queue.replace(ticket.ticket(), ticket);
		}
	}

	/**
	 * Append a ticket to the queue. A ticket that is queued already keeps its position,
	 * and may change its lease.
	 * @return whether the ticket was not queued yet
	 */
	boolean enqueue(LocalTicket waiter) {
		if (this.queue == null) {
			this.queue = new LinkedHashMap<>();
		}
		return this.queue.put(waiter.ticket(), waiter) == null;
	}

	void dequeue(Ticket ticket) {
		if (this.queue != null) {
			this.queue.remove(ticket);
		}
	}

	private boolean hasQueue() {
		return this.queue != null && !this.queue.isEmpty();
	}

	/** Whether a ticket that is not queued can be granted the lock. */
	boolean isAvailableFor(Ticket ticket) {
		return !hasQueue() && admits(ticket);
	}

	/**
	 * Grant the lock to the head of the queue if possible: to one writer, or to all
	 * readers before the first writer.
	 * @return the new grants, of which the waiting tickets are to be notified
	 */
	List<LocalGrant> grantToQueue(long nowNanos, long nowMicros) {
		removeEnded(nowNanos);
		List<LocalGrant> granted = new ArrayList<>(0);
		if (this.queue == null) {
			return granted;
		}
		Iterator<LocalTicket> waiters = this.queue.values().iterator();
		while (waiters.hasNext()) {
			LocalTicket oldest = waiters.next();
			if (!admits(oldest.ticket())) {
				break;
			}
			waiters.remove();
			granted.add(grant(oldest, nowNanos, nowMicros));
		}
		return granted;
	}

	private void removeEnded(long nowNanos) {
		if (this.others != null) {
			Collection<LocalGrant> later = this.others.values();
			later.removeIf((grant) -> grant.hasEnded(nowNanos));
			this.others = later.isEmpty() ? null : this.others;
		}
		if (this.oldest != null && this.oldest.hasEnded(nowNanos)) {
			remove(this.oldest);
		}
	}

	/** The oldest holder is representative: it is the only one, or all are readers. */
	private boolean admits(Ticket ticket) {
		return this.oldest == null || (ticket.isReader() && this.oldest.isReader());
	}

	/** Whether there is neither a holder, even one whose lease has ended, nor a queue. */
	boolean isEmpty() {
		return this.oldest == null && this.others == null && !hasQueue();
	}

	boolean isUnused(long nowNanos) {
		return !hasQueue() && (this.oldest == null || this.oldest.hasEnded(nowNanos))
				&& (this.others == null || holders(nowNanos).findAny().isEmpty());
	}

	/**
	 * A ticket that asks for the lock.
	 *
	 * @param ticket the ticket
	 * @param lease the requested lease
	 * @param user the user of the store that the ticket belongs to
	 */
	record LocalTicket(Ticket ticket, Duration lease, TicketUser user) {
	}

	/**
	 * A user of the store, which learns what happens to its tickets without their own
	 * commands. That is not called under the lock of the store.
	 */
	interface TicketUser {

		/** The number of fencing tokens of a grant. */
		int tokensPerGrant();

		/** A waiting ticket has been granted the lock. */
		void granted(LocalGrant grant);

		/** An operator has ended a grant. */
		void ended(LocalGrant grant);

	}

	/**
	 * A grant of the lock.
	 *
	 * @param ticket the ticket that holds the lock
	 * @param user the user of the store that the ticket belongs to
	 * @param firstToken the first fencing token
	 * @param endNanos the end of the lease, by the store's monotonic clock
	 */
	record LocalGrant(Ticket ticket, TicketUser user, long firstToken, long endNanos) {

		/** A reader's grant has one token, since it is never handed on in its JVM. */
		long lastToken() {
			return isReader() ? this.firstToken : this.firstToken + this.user.tokensPerGrant() - 1;
		}

		boolean hasEnded(long nowNanos) {
			return this.endNanos - nowNanos <= 0;
		}

		boolean isReader() {
			return this.ticket.isReader();
		}

		boolean isOf(Ticket ticket) {
			return this.ticket.equals(ticket);
		}

		/** The grant with another end, unless that would shorten the lease. */
		LocalGrant extendedTo(long nanos) {
			return (nanos - this.endNanos > 0) ? new LocalGrant(this.ticket, this.user, this.firstToken, nanos) : this;
		}

		/** Describe the holder for an operator. */
		StoredHolder stored(long nowNanos) {
			return new StoredHolder(this.ticket.instance(), this.ticket.mode(), instantOfToken(this.firstToken),
					Duration.ofNanos(this.endNanos - nowNanos), this.firstToken);
		}

		static Instant instantOfToken(long micros) {
			return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
		}

		void notifyHolder() {
			this.user.granted(this);
		}

		void notifyFormerHolder() {
			this.user.ended(this);
		}

	}

}
