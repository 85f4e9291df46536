package io.github.distlock.backend.redis;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/**
 * Marks of grants that a JVM may keep, and requests for them. Judges that each JVM knows
 * whether its grant is marked, and that no ticket without a mark is asked.
 */
final class FuzzMarks {

	private final Random random;

	private final List<FuzzTicket> tickets;

	private final List<String> violations;

	/** Tickets that have asked for a mark. */
	private final Set<String> marking = new HashSet<>();

	private int requests;

	FuzzMarks(Random random, List<FuzzTicket> tickets, List<String> violations) {
		this.random = random;
		this.tickets = tickets;
		this.violations = violations;
	}

	/** The argument of an attempt: some want a mark, some an answer. */
	String attempt(FuzzTicket ticket) {
		String letter = ticket.instance.mark(this.random);
		letter = (this.random.nextInt(4) == 0) ? letter.toLowerCase(Locale.ROOT) : letter;
		ticket.marks = !ticket.isReader() && this.random.nextBoolean();
		if (ticket.marks) {
			this.marking.add(ticket.token);
		}
		return ticket.isReader() ? letter : letter + count(ticket.marks);
	}

	/**
	 * The argument of a release for the next ticket, which wants neither: a release does
	 * not tell small letters from others.
	 */
	String successor(FuzzTicket ticket) {
		String letter = ticket.instance.mark(this.random);
		letter = (this.random.nextInt(4) == 0) ? letter.toLowerCase(Locale.ROOT) : letter;
		return ticket.isReader() ? letter : letter + count(false);
	}

	static String count(boolean marked) {
		return (marked ? "0" : "") + ScriptFuzz.TOKENS;
	}

	/** A request has arrived; returns the ticket that is asked. */
	String asked(String message) {
		this.requests++;
		String token = message.split("[|]")[1];
		if (!this.marking.contains(token)) {
			this.violations.add("ASKED: a ticket that has no mark: " + message);
		}
		return token;
	}

	/** Look at the word of the lock: its owner must know it. */
	void look(String word) {
		for (FuzzTicket ticket : this.tickets) {
			if (ticket.isValid(UnreliableScripts.nowMicros()) && word.endsWith("|" + ticket.first)
					&& word.startsWith(ticket.token + "|", 1) && !word.endsWith(ticket.grant())) {
				this.violations.add("MARK: " + ticket + " takes its word for " + ticket.grant() + ": " + word);
			}
		}
	}

	int requests() {
		return this.requests;
	}

}
