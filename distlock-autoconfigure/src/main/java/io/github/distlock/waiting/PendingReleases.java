package io.github.distlock.waiting;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of one key on their way out, one after the other. Usually one at most; two,
 * when a successor that was queued by a release was granted the lock by a message and
 * left again before that release was answered. Guarded by the queue's lock.
 */
final class PendingReleases {

	/**
	 * A ticket that was cancelled without an answer is forgotten by then at the latest.
	 */
	private static final long CANCEL_PATIENCE_NANOS = Duration.ofSeconds(15).toNanos();

	/** The oldest first. While there are none, as for all who hold, it takes no room. */
	private List<PendingRelease> releases = List.of();

	private final TimeSource clock;

	/** Who has left although a copy of its attempt may still be on its way. */
	private @Nullable Ticket stray;

	PendingReleases(TimeSource clock) {
		this.clock = clock;
	}

	boolean isEmpty() {
		return this.releases.isEmpty();
	}

	@Nullable PendingRelease first() {
		return this.releases.isEmpty() ? null : this.releases.get(0);
	}

	void release(Ticket ticket, boolean doubtful, long lastToken, long giveUpNanos,
			@Nullable PendingDowngrade downgrade) {
		add(PendingRelease.release(ticket, doubtful, lastToken, giveUpNanos, downgrade));
	}

	/**
	 * No caller wants what was granted.
	 * @param lease what the store was asked for
	 */
	void giveBack(QueuedTicket queued, Duration lease, Grant grant) {
		release(queued.ticket, queued.doubtful, grant.firstToken(), this.clock.nanoTime() + lease.toNanos(), null);
	}

	void cancel(QueuedTicket queued) {
		add(PendingRelease.cancel(queued.ticket, queued.doubtful, this.clock.nanoTime() + CANCEL_PATIENCE_NANOS));
	}

	/** Cancel a ticket that may wait or hold: nothing else is known of it. */
	void cancel(Ticket ticket) {
		add(PendingRelease.cancel(ticket, true, this.clock.nanoTime() + CANCEL_PATIENCE_NANOS));
	}

	private void add(PendingRelease pending) {
		if (this.releases.isEmpty()) {
			this.releases = List.of(pending);
		}
		else {
			this.releases = Stream.concat(this.releases.stream(), Stream.of(pending)).toList();
		}
	}

	/** It has left, as far as anybody can tell. */
	void remove(PendingRelease pending) {
		this.releases = (this.releases.size() == 1 && this.releases.contains(pending)) ? List.of()
				: this.releases.stream().filter((other) -> other != pending).toList();
		if (pending.doubtful) {
			this.stray = pending.ticket;
		}
	}

	/**
	 * Whether it left cannot be said: it is repeated later.
	 * @return whether that makes no sense any more
	 */
	boolean rest(PendingRelease pending) {
		pending.resting = true;
		return this.clock.nanoTime() - pending.giveUpNanos >= 0;
	}

	boolean contains(Ticket ticket) {
		return this.releases.stream().anyMatch((pending) -> pending.ticket.equals(ticket));
	}

	/** Whether a ticket is among these and an answer for it is to come. */
	boolean isLeaving(Ticket ticket) {
		return this.releases.stream().anyMatch((pending) -> pending.ticket.equals(ticket) && !pending.resting);
	}

	/** An attempt of a ticket that may be among these was not answered. */
	void doubt(Ticket ticket) {
		this.releases.stream()
			.filter((pending) -> pending.ticket.equals(ticket))
			.forEach((pending) -> pending.doubtful = true);
	}

	/** Those that rest may be repeated. */
	void wake() {
		this.releases.forEach((pending) -> pending.resting = false);
	}

	/** Who is to be cancelled once more, later. */
	@Nullable Ticket takeStray() {
		Ticket taken = this.stray;
		this.stray = null;
		return taken;
	}

}
