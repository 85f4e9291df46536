package io.github.distlock.backend.local;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.distlock.backend.LockBackend.Renewal;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * One key: who holds it and who waits, in the order of arrival. While nobody waits and
 * nobody holds it, the store forgets it. Guarded by the lock of the {@link LocalStore}.
 */
final class LocalLock {

	/** Its lease may have ended: then it is looked at by whoever comes next. */
	private @Nullable LocalGrant grant;

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

	/** Who holds it, if the lease has not ended. */
	@Nullable LocalGrant grant(long nowNanos) {
		LocalGrant current = this.grant;
		return (current != null && !current.hasEnded(nowNanos)) ? current : null;
	}

	/** Hold it from now on. The tokens rise even if the clock stands still. */
	LocalGrant own(LocalTicket holder, long nowNanos, long nowMicros) {
		long first = Math.max(this.lastToken + 1, nowMicros);
		this.lastToken = first + holder.backend().description().tokensPerGrant() - 1;
		LocalGrant given = new LocalGrant(holder, first, this.lastToken, nowNanos + holder.lease().toNanos());
		this.grant = given;
		return given;
	}

	/**
	 * Hold it for longer.
	 * @return whether it is held, and by the grant that is to be renewed
	 */
	boolean renew(Renewal renewal, long nowNanos) {
		LocalGrant current = grant(nowNanos);
		if (current == null || !current.isOf(renewal.ticket()) || current.lastToken() != renewal.lastToken()) {
			return false;
		}
		this.grant = current.until(nowNanos + renewal.lease().toNanos());
		return true;
	}

	/**
	 * Nobody holds it any more.
	 * @param usedToken the last token that was used: what the grant covered beyond it is
	 * given back
	 */
	void free(LocalGrant current, long usedToken) {
		if (usedToken >= current.firstToken()) {
			this.lastToken = Math.min(this.lastToken, usedToken);
		}
		this.grant = null;
	}

	/**
	 * Wait, at the end.
	 * @return whether it did not wait yet
	 */
	boolean queue(LocalTicket waiter) {
		return this.queue.putIfAbsent(waiter.ticket(), waiter) == null;
	}

	void forget(Ticket ticket) {
		this.queue.remove(ticket);
	}

	/** Whose turn it is; no longer waiting. */
	@Nullable LocalTicket takeOldest() {
		Iterator<LocalTicket> waiters = this.queue.values().iterator();
		if (!waiters.hasNext()) {
			return null;
		}
		LocalTicket oldest = waiters.next();
		waiters.remove();
		return oldest;
	}

	boolean isForgettable(long nowNanos) {
		return this.queue.isEmpty() && grant(nowNanos) == null;
	}

}
