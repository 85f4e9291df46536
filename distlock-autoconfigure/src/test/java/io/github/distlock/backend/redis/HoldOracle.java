package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * Judges which tickets hold the lock at the same time, and with which fencing tokens.
 */
final class HoldOracle {

	/** Tickets of dead JVMs included: such a JVM could have been paused instead. */
	private final List<FuzzTicket> holders = new ArrayList<>();

	private final List<String> violations;

	private long highestOfWriters;

	private long highest;

	private int entries;

	private int shared;

	HoldOracle(List<String> violations) {
		this.violations = violations;
	}

	/** A ticket enters now, with the first token of its grant. */
	void entered(FuzzTicket ticket, long nowMicros) {
		this.entries++;
		this.holders.removeIf((other) -> !other.isValid(nowMicros));
		this.shared += this.holders.isEmpty() ? 0 : 1;
		for (FuzzTicket other : this.holders) {
			if (!ticket.isReader() || !other.isReader()) {
				this.violations.add("OVERLAP: " + ticket + " enters beside " + other + ", which holds for "
						+ (other.endMicros - nowMicros) + " us more");
			}
		}
		this.holders.add(ticket);
		for (FuzzTicket holder : this.holders) {
			List<FuzzTicket> before = this.holders.stream().filter((other) -> other.first < holder.first).toList();
			if (holder.isReader() && before.size() >= holder.permits()) {
				this.violations.add("ONE TOO MANY: " + holder + " holds beside " + before);
			}
		}
		long before = ticket.isReader() ? this.highestOfWriters : this.highest;
		if (ticket.first <= before) {
			this.violations
				.add("FALLING TOKEN: " + ticket + " enters with " + ticket.first + " after " + before + " was used");
		}
		used(ticket, ticket.first);
	}

	/** A ticket that holds uses one more of its tokens. */
	void used(FuzzTicket ticket, long token) {
		ticket.used = token;
		this.highest = Math.max(this.highest, token);
		if (!ticket.isReader()) {
			this.highestOfWriters = Math.max(this.highestOfWriters, token);
		}
	}

	int entries() {
		return this.entries;
	}

	/** How many tickets entered while others held. */
	int shared() {
		return this.shared;
	}

}
