package io.github.distlock.backend.redis;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * A text that a script answers: its kind and numbers, separated by commas. A number alone
 * is the most frequent answer: granted, as requested. A plus sign before the kind says
 * that more readers are to be let in.
 *
 * @param kind the kind of answer
 * @param admitsMore whether {@code admit.lua} has to be sent, so that more readers enter
 * @param holder a ticket that holds the lock, if the answer ends with one and its first
 * fencing token
 * @param numbers the numbers after the kind
 */
record Reply(String kind, boolean admitsMore, @Nullable TicketHolder holder, long... numbers) {

	static final String GRANTED = "granted";

	static final String WAITING = "waiting";

	static final String BUSY = "busy";

	static final String GONE = "gone";

	static final String UNQUEUED = "unqueued";

	static final String ENDED = "ended";

	static final String CHANGED = "changed";

	static final String NOT_HELD = "not-held";

	private static final char ADMITS_MORE = '+';

	static Reply parse(String text) {
		if (Character.isDigit(text.charAt(0))) {
			return new Reply(GRANTED, false, null, Long.parseLong(text));
		}
		boolean admitsMore = text.charAt(0) == ADMITS_MORE;
		String[] parts = (admitsMore ? text.substring(1) : text).split(",");
		TicketHolder holder = holder(parts);
		long[] numbers = new long[parts.length - ((holder != null) ? 3 : 1)];
		for (int i = 0; i < numbers.length; i++) {
			numbers[i] = Long.parseLong(parts[i + 1]);
		}
		return new Reply(parts[0], admitsMore, holder, numbers);
	}

	/** The name of each ticket contains a colon, and no comma. */
	private static @Nullable TicketHolder holder(String[] parts) {
		int name = parts.length - 2;
		return (name > 0 && parts[name].indexOf(':') >= 0)
				? new TicketHolder(parts[name], Long.parseLong(parts[name + 1])) : null;
	}

	/** What holds the lock, as the script says it. */
	@Nullable StoredHolder holder(String key, @Nullable Duration ttl) {
		return (this.holder != null) ? stored(key, this.holder.token(), this.holder.first(), ttl) : null;
	}

	/** Describe a holder. The first token of a grant is the time of the server. */
	static StoredHolder stored(String key, String token, long first, @Nullable Duration ttl) {
		Ticket ticket = Ticket.of(key, token);
		return new StoredHolder(ticket.instance(), ticket.mode(), Instant.EPOCH.plus(first, ChronoUnit.MICROS), ttl,
				first, ticket.permits());
	}

	/**
	 * A ticket that holds a lock.
	 *
	 * @param token the name of the ticket
	 * @param first the first fencing token of its grant
	 */
	record TicketHolder(String token, long first) {
	}

}
