package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The holders and the queue of one key. The store forgets it when it has neither. Guarded
 * by the lock of the {@link LocalStore}.
 * <p>
 * Invariant, whenever the lock of the store is free: there is one holder, or all holders
 * are readers; and the head of the queue cannot join them, except that leases may have
 * ended since.
 */
final class LocalLock {

	/** The holders. Ended leases are removed by the next command. */
	private final Map<Ticket, LocalGrant> grants = new LinkedHashMap<>(2);

	/** The waiting tickets, oldest first. */
	private final Map<Ticket, LocalTicket> queue = new LinkedHashMap<>();

	/** The next fencing token is higher than this. */
	private long lastToken;

	LocalLock(long lastToken) {
		this.lastToken = lastToken;
	}

	long lastToken() {
		return this.lastToken;
	}

	/** The grant of a ticket, if its lease has not ended. */
	@Nullable LocalGrant find(Ticket ticket, long nowNanos) {
		LocalGrant grant = this.grants.get(ticket);
		return (grant != null && !grant.hasEnded(nowNanos)) ? grant : null;
	}

	/** The grants whose leases have not ended, oldest first. */
	Stream<LocalGrant> holders(long nowNanos) {
		return this.grants.values().stream().filter((grant) -> !grant.hasEnded(nowNanos));
	}

	/** The waiting tickets, oldest first. */
	Stream<Ticket> waiting() {
		return this.queue.keySet().stream();
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
		return this.grants.values().stream().mapToLong((grant) -> grant.endNanos() - nowNanos);
	}

	private static Duration remaining(long nanos) {
		return Duration.ofNanos(Math.max(0, nanos));
	}

	/**
	 * Grant the lock. Tokens increase even if the clock stands still. A reader's grant
	 * has one token, since it is never handed on in its JVM.
	 */
	LocalGrant grant(LocalTicket holder, long nowNanos, long nowMicros) {
		long first = Math.max(this.lastToken + 1, nowMicros);
		this.lastToken = holder.ticket().isReader() ? first : first + holder.tokensPerGrant() - 1;
		LocalGrant grant = new LocalGrant(holder, first, this.lastToken, nowNanos + holder.lease().toNanos());
		this.grants.put(holder.ticket(), grant);
		return grant;
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
		this.grants.put(renewal.ticket(), current.extendedTo(nowNanos + renewal.lease().toNanos()));
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
		this.grants.remove(grant.holder().ticket());
	}

	/**
	 * Replace a waiting ticket by the same one with another lease. It keeps its position.
	 */
	void updateLease(LocalTicket ticket) {
		this.queue.replace(ticket.ticket(), ticket);
	}

	/**
	 * Append a ticket to the queue. A ticket that is queued already keeps its position,
	 * and may change its lease.
	 * @return whether the ticket was not queued yet
	 */
	boolean enqueue(LocalTicket waiter) {
		return this.queue.put(waiter.ticket(), waiter) == null;
	}

	void dequeue(Ticket ticket) {
		this.queue.remove(ticket);
	}

	/** Whether a ticket that is not queued can be granted the lock. */
	boolean isAvailableFor(Ticket ticket) {
		return this.queue.isEmpty() && admits(ticket);
	}

	/**
	 * Grant the lock to the head of the queue if possible: to one writer, or to all
	 * readers before the first writer.
	 * @return the new grants, of which the waiting tickets are to be notified
	 */
	List<LocalGrant> grantToQueue(long nowNanos, long nowMicros) {
		this.grants.values().removeIf((grant) -> grant.hasEnded(nowNanos));
		List<LocalGrant> granted = new ArrayList<>(0);
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

	/** The first holder is representative: it is the only one, or all are readers. */
	private boolean admits(Ticket ticket) {
		return this.grants.isEmpty() || (ticket.isReader() && this.grants.values().iterator().next().isReader());
	}

	boolean isUnused(long nowNanos) {
		return this.queue.isEmpty() && this.grants.values().stream().allMatch((grant) -> grant.hasEnded(nowNanos));
	}

	/**
	 * A ticket that asks for the lock.
	 *
	 * @param ticket the ticket
	 * @param lease the requested lease
	 * @param tokensPerGrant the number of fencing tokens of a grant
	 * @param listener learns what happens to the ticket without its own command
	 */
	record LocalTicket(Ticket ticket, Duration lease, int tokensPerGrant, TicketListener listener) {
	}

	/**
	 * Learns what happens to tickets. Not called under the lock of the store.
	 */
	interface TicketListener {

		/** A waiting ticket has been granted the lock. */
		void granted(LocalGrant grant);

		/** An operator has ended a grant. */
		void ended(LocalGrant grant);

	}

	/**
	 * A grant of the lock.
	 *
	 * @param holder the ticket that holds the lock
	 * @param firstToken the first fencing token
	 * @param lastToken the last fencing token
	 * @param endNanos the end of the lease, by the store's monotonic clock
	 */
	record LocalGrant(LocalTicket holder, long firstToken, long lastToken, long endNanos) {

		boolean hasEnded(long nowNanos) {
			return this.endNanos - nowNanos <= 0;
		}

		boolean isReader() {
			return this.holder.ticket().isReader();
		}

		/** The grant with another end, unless that would shorten the lease. */
		LocalGrant extendedTo(long nanos) {
			return (nanos - this.endNanos > 0) ? new LocalGrant(this.holder, this.firstToken, this.lastToken, nanos)
					: this;
		}

		void notifyHolder() {
			this.holder.listener().granted(this);
		}

		void notifyFormerHolder() {
			this.holder.listener().ended(this);
		}

	}

}
