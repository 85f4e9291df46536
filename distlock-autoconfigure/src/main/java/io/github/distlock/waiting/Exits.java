package io.github.distlock.waiting;

import java.util.ArrayDeque;

import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of one key on their way out, one after the other. Usually one at most; two,
 * when a successor that was queued by a release was granted the lock by a message and
 * left again before that release was answered. Guarded by the entry's lock.
 */
final class Exits {

	private final ArrayDeque<Exit> exits = new ArrayDeque<>(2);

	boolean isEmpty() {
		return this.exits.isEmpty();
	}

	@Nullable Exit first() {
		return this.exits.peek();
	}

	void add(Exit exit) {
		this.exits.add(exit);
	}

	void remove(Exit exit) {
		this.exits.remove(exit);
	}

	boolean contains(Ticket ticket) {
		return this.exits.stream().anyMatch((exit) -> exit.ticket.equals(ticket));
	}

	/** An attempt of a ticket that may be among these was not answered. */
	void doubt(Ticket ticket) {
		this.exits.stream().filter((exit) -> exit.ticket.equals(ticket)).forEach((exit) -> exit.doubtful = true);
	}

	/** Those that rest may be repeated. */
	void wake() {
		this.exits.forEach((exit) -> exit.resting = false);
	}

}
