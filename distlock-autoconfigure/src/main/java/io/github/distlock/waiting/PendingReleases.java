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
 * left again before that release was answered. Guarded by the entry's lock.
 */
final class PendingReleases {

	/**
	 * A ticket that was cancelled without an answer is forgotten by then at the latest.
	 */
	private static final long CANCEL_PATIENCE_NANOS = Duration.ofSeconds(15).toNanos();

	/** The oldest first. While there are none, as for all who hold, it takes no room. */
	private List<PendingRelease> exits = List.of();

	private final TimeSource clock;

	/** Who has left although a copy of its attempt may still be on its way. */
	private @Nullable Ticket stray;

	PendingReleases(TimeSource clock) {
		this.clock = clock;
	}

	boolean isEmpty() {
		return this.exits.isEmpty();
	}

	@Nullable PendingRelease first() {
		return this.exits.isEmpty() ? null : this.exits.get(0);
	}

	void release(Ticket ticket, boolean doubtful, long lastToken, long giveUpNanos, @Nullable PendingDowngrade heir) {
		add(PendingRelease.release(ticket, doubtful, lastToken, giveUpNanos, heir));
	}

	/**
	 * No caller wants what was granted.
	 * @param lease what the store was asked for
	 */
	void giveBack(QueuedTicket place, Duration lease, Grant grant) {
		release(place.ticket, place.doubtful, grant.firstToken(), this.clock.nanoTime() + lease.toNanos(), null);
	}

	void cancel(QueuedTicket place) {
		add(PendingRelease.cancel(place.ticket, place.doubtful, this.clock.nanoTime() + CANCEL_PATIENCE_NANOS));
	}

	/** Cancel a ticket that may wait or hold: nothing else is known of it. */
	void cancel(Ticket ticket) {
		add(PendingRelease.cancel(ticket, true, this.clock.nanoTime() + CANCEL_PATIENCE_NANOS));
	}

	private void add(PendingRelease exit) {
		if (this.exits.isEmpty()) {
			this.exits = List.of(exit);
		}
		else {
			this.exits = Stream.concat(this.exits.stream(), Stream.of(exit)).toList();
		}
	}

	/** It has left, as far as anybody can tell. */
	void remove(PendingRelease exit) {
		this.exits = (this.exits.size() == 1 && this.exits.contains(exit)) ? List.of()
				: this.exits.stream().filter((other) -> other != exit).toList();
		if (exit.doubtful) {
			this.stray = exit.ticket;
		}
	}

	/**
	 * Whether it left cannot be said: it is repeated later.
	 * @return whether that makes no sense any more
	 */
	boolean rest(PendingRelease exit) {
		exit.resting = true;
		return this.clock.nanoTime() - exit.giveUpNanos >= 0;
	}

	boolean contains(Ticket ticket) {
		return this.exits.stream().anyMatch((exit) -> exit.ticket.equals(ticket));
	}

	/** Whether a ticket is among these and an answer for it is to come. */
	boolean isLeaving(Ticket ticket) {
		return this.exits.stream().anyMatch((exit) -> exit.ticket.equals(ticket) && !exit.resting);
	}

	/** An attempt of a ticket that may be among these was not answered. */
	void doubt(Ticket ticket) {
		this.exits.stream().filter((exit) -> exit.ticket.equals(ticket)).forEach((exit) -> exit.doubtful = true);
	}

	/** Those that rest may be repeated. */
	void wake() {
		this.exits.forEach((exit) -> exit.resting = false);
	}

	/** Who is to be cancelled once more, later. */
	@Nullable Ticket takeStray() {
		Ticket taken = this.stray;
		this.stray = null;
		return taken;
	}

}
