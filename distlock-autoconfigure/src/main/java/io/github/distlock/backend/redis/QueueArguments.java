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

	private final String tokensPerGrant;

	private final String notQueued;

	/** For an attempt that asks for the lock: not queued, although it should be. */
	private final String unheard;

	/** For a queued ticket of an inbox whose receivers cannot be counted. */
	private final String uncounted;

	/** For a queued ticket of an inbox whose receivers can be counted. */
	private final String counted;

	QueueArguments(int tokensPerGrant) {
		this.tokensPerGrant = Integer.toString(tokensPerGrant);
		this.notQueued = "N" + tokensPerGrant;
		this.unheard = "n" + tokensPerGrant;
		this.uncounted = "S" + tokensPerGrant;
		this.counted = "T" + tokensPerGrant;
	}

	/** Return the argument of a release for the ticket that follows: it asks nothing. */
	String successor(InboxState state) {
		return queued(state, this.notQueued);
	}

	private String queued(InboxState state, String unsubscribed) {
		return switch (state) {
			case UNSUBSCRIBED -> unsubscribed;
			case SUBSCRIBED -> this.uncounted;
			case VERIFIED -> this.counted;
		};
	}

	/**
	 * Return the argument of an attempt.
	 * @param state the inbox; it does not matter if the ticket is not queued
	 * @param marks whether to mark the value of the lock if it is granted at once
	 */
	String attempt(Ticket ticket, AttemptOptions options, InboxState state, boolean marks) {
		String all = options.queue() ? queued(state, this.unheard) : this.notQueued;
		String how = ticket.isReader() ? all.substring(0, 1) : all;
		if (!marks && !options.answerWanted()) {
			return how;
		}
		String letter = options.answerWanted() && options.queue() ? how.substring(0, 1).toLowerCase(Locale.ROOT)
				: how.substring(0, 1);
		return letter + (marks ? count(true) : how.substring(1));
	}

	/** Return the number of tokens as the value of a grant has it. */
	String count(boolean marked) {
		return marked ? RenewalScript.MARK + this.tokensPerGrant : this.tokensPerGrant;
	}

}
