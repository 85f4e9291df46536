package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * One key: who holds it and who waits, in the order of arrival. While nobody waits and
 * nobody holds it, the store forgets it. Guarded by the lock of the {@link LocalStore}.
 * <p>
 * Invariant, whenever the lock of the store is free: of those who hold either there is
 * one, or all are readers; and the oldest who waits could not join them, but for leases
 * that have ended since.
 */
final class LocalLock {

	/** Leases may have ended: those are removed by whoever comes next. */
	private final Map<Ticket, LocalGrant> grants = new LinkedHashMap<>(2);

	/** Oldest first. */
	private final Map<Ticket, LocalTicket> queue = new LinkedHashMap<>();

	/** The last fencing token ever given, or before which none may be given again. */
	private long lastToken;

	LocalLock(long lastToken) {
		this.lastToken = lastToken;
	}

	long lastToken() {
		return this.lastToken;
	}

	/** What a ticket holds, if its lease has not ended. */
	@Nullable LocalGrant grant(Ticket ticket, long nowNanos) {
		LocalGrant grant = this.grants.get(ticket);
		return (grant != null && !grant.hasEnded(nowNanos)) ? grant : null;
	}

	/**
	 * How long it is held if nobody renews it, or (soonest) until the first lease ends.
	 */
	Duration remaining(boolean soonest, long nowNanos) {
		LongStream left = this.grants.values().stream().mapToLong((grant) -> grant.endNanos() - nowNanos);
		return Duration.ofNanos(Math.max(0, (soonest ? left.min() : left.max()).orElse(0)));
	}

	/**
	 * Hold it from now on. The tokens rise even if the clock stands still. A reader is
	 * never followed by others under its grant, so it has one token.
	 */
	LocalGrant own(LocalTicket holder, long nowNanos, long nowMicros) {
		long first = Math.max(this.lastToken + 1, nowMicros);
		this.lastToken = holder.ticket().isReader() ? first : first + holder.tokensPerGrant() - 1;
		LocalGrant given = new LocalGrant(holder, first, this.lastToken, nowNanos + holder.lease().toNanos());
		this.grants.put(holder.ticket(), given);
		return given;
	}

	/**
	 * Hold it for longer.
	 * @return whether it is held, and by the grant that is to be renewed
	 */
	boolean renew(Renewal renewal, long nowNanos) {
		LocalGrant current = grant(renewal.ticket(), nowNanos);
		if (current == null || current.lastToken() != renewal.lastToken()) {
			return false;
		}
		this.grants.put(renewal.ticket(), current.until(nowNanos + renewal.lease().toNanos()));
		return true;
	}

	/**
	 * One does not hold it any more.
	 * @param usedToken the last token that was used: what the newest grant covered beyond
	 * it is given back
	 */
	void free(LocalGrant current, long usedToken) {
		if (current.lastToken() == this.lastToken && usedToken >= current.firstToken()) {
			this.lastToken = Math.min(this.lastToken, usedToken);
		}
		this.grants.remove(current.holder().ticket());
	}

	/**
	 * Wait, at the end.
	 * @return whether it did not wait yet
	 */
	boolean queue(LocalTicket waiter) {
		// A known ticket keeps its place, and may ask for another lease.
		return this.queue.put(waiter.ticket(), waiter) == null;
	}

	void forget(Ticket ticket) {
		this.queue.remove(ticket);
	}

	/** Whether somebody who does not wait could hold it from now on. */
	boolean isFreeFor(Ticket ticket) {
		return this.queue.isEmpty() && admits(ticket);
	}

	/**
	 * Let in, from the head of the queue, who may: one writer, or all readers up to the
	 * first writer.
	 * @return what they were granted, which they do not know yet
	 */
	List<LocalGrant> letIn(long nowNanos, long nowMicros) {
		this.grants.values().removeIf((grant) -> grant.hasEnded(nowNanos));
		List<LocalGrant> given = new ArrayList<>(0);
		Iterator<LocalTicket> waiters = this.queue.values().iterator();
		while (waiters.hasNext()) {
			LocalTicket oldest = waiters.next();
			if (!admits(oldest.ticket())) {
				break;
			}
			waiters.remove();
			given.add(own(oldest, nowNanos, nowMicros));
		}
		return given;
	}

	/** All who hold are readers, or there is one: looking at one is enough. */
	private boolean admits(Ticket ticket) {
		return this.grants.isEmpty() || (ticket.isReader() && this.grants.values().iterator().next().isReader());
	}

	boolean isForgettable(long nowNanos) {
		return this.queue.isEmpty() && this.grants.values().stream().allMatch((grant) -> grant.hasEnded(nowNanos));
	}

}
