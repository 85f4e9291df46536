package io.github.distlock.backend.redis;

import java.util.Locale;

import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redis.InboxMonitor.InboxState;

/**
 * The argument that says how {@code attempt.lua} and {@code release.lua} queue a ticket,
 * with the tokens per grant, which a reader does not need. A ticket is not queued if no
 * message would reach it.
 */
final class QueueArguments {

	/** For a ticket that is not queued. */
	private static final String NOT_QUEUED = "N";

	/** For an attempt that asks for the lock: not queued, although it should be. */
	private static final String UNHEARD = "n";

	/** For a queued ticket of an inbox whose receivers cannot be counted. */
	private static final String UNCOUNTED = "S";

	/** For a queued ticket of an inbox whose receivers can be counted. */
	private static final String COUNTED = "T";

	private final String tokensPerGrant;

	QueueArguments(int tokensPerGrant) {
		this.tokensPerGrant = Integer.toString(tokensPerGrant);
	}

	/** Return the argument of a release for the ticket that follows: it asks nothing. */
	String successor(InboxState state) {
		return queued(state, NOT_QUEUED).concat(this.tokensPerGrant);
	}

	private static String queued(InboxState state, String unsubscribed) {
		return switch (state) {
			case UNSUBSCRIBED -> unsubscribed;
			case SUBSCRIBED -> UNCOUNTED;
			case VERIFIED -> COUNTED;
		};
	}

	/**
	 * Return the argument of an attempt.
	 * @param state the inbox; it does not matter if the ticket is not queued
	 * @param marks whether to mark the value of the lock if it is granted at once
	 */
	String attempt(Ticket ticket, AttemptOptions options, InboxState state, boolean marks) {
		String letter = options.queue() ? queued(state, UNHEARD) : NOT_QUEUED;
		if (options.queue() && options.answerWanted()) {
			letter = letter.toLowerCase(Locale.ROOT);
		}
		return ticket.isReader() ? letter : letter.concat(count(marks));
	}

	/** Return the number of tokens as the value of a grant has it. */
	String count(boolean marked) {
		return marked ? RenewalScript.MARK.concat(this.tokensPerGrant) : this.tokensPerGrant;
	}

}
