package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redis.InboxMonitor.InboxState;
import org.jspecify.annotations.Nullable;

/**
 * Which tickets of a JVM that gets no messages have been refused for so long that they
 * ask for a place in the queue. The turn of such a ticket lasts until it asks again, and
 * until then no ticket can use the lock. So only one ticket of each key asks for a place,
 * and only after a second. Thread-safe.
 */
final class Refusals {

	private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

	/** For each key the ticket that may ask for a place, now or later. */
	private final ConcurrentMap<String, Refusal> byKey = new ConcurrentHashMap<>();

	/** A ticket attempts. */
	InboxState state(Ticket ticket, long now) {
		Refusal refusal = this.byKey.compute(ticket.key(),
				(key, before) -> (before == null || before.yieldsTo(ticket, now)) ? new Refusal(ticket, now) : before);
		if (!refusal.ticket.equals(ticket)) {
			return InboxState.UNSUBSCRIBED;
		}
		refusal.askedNanos = now;
		if (now - refusal.sinceNanos < PATIENCE_NANOS) {
			return InboxState.UNSUBSCRIBED;
		}
		return (now - refusal.holderSinceNanos < PATIENCE_NANOS) ? InboxState.POLLING : InboxState.POLLING_ONE_HOLDER;
	}

	/** A ticket was refused, because of this holder if it is known. */
	void refused(Ticket ticket, @Nullable StoredHolder holder, long now) {
		Refusal refusal = this.byKey.get(ticket.key());
		if (refusal != null && refusal.ticket.equals(ticket)
				&& (holder == null || !holder.instance().equals(refusal.holder))) {
			refusal.holder = (holder != null) ? holder.instance() : null;
			refusal.holderSinceNanos = now;
		}
	}

	/** A ticket was granted the lock, or leaves. */
	void ended(Ticket ticket) {
		this.byKey.computeIfPresent(ticket.key(), (key, refusal) -> refusal.ticket.equals(ticket) ? null : refusal);
	}

	/** The JVM gets messages. */
	void clear() {
		this.byKey.clear();
	}

	/** Changed only by the answers to its ticket, which has one attempt at a time. */
	private static final class Refusal {

		final Ticket ticket;

		final long sinceNanos;

		volatile long askedNanos;

		/** The JVM that had the lock at each refusal since then. */
		volatile @Nullable String holder;

		volatile long holderSinceNanos;

		Refusal(Ticket ticket, long now) {
			this.ticket = ticket;
			this.sinceNanos = now;
			this.askedNanos = now;
			this.holderSinceNanos = now;
		}

		/**
		 * A ticket that does not ask for a second loses its right, and one that waits for
		 * less than a second to an older one: of fair tickets only the oldest asks.
		 */
		boolean yieldsTo(Ticket other, long now) {
			return now - this.askedNanos > PATIENCE_NANOS
					|| now - this.sinceNanos < PATIENCE_NANOS && other.number() < this.ticket.number();
		}

	}

}
