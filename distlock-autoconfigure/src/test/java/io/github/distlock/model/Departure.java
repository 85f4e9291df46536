package io.github.distlock.model;

import java.util.function.IntUnaryOperator;

/** A ticket that leaves the store: its release or cancel is repeated until answered. */
final class Departure extends StatePart<Departure> {

	private static final Verb[] VERBS = Verb.values();

	Verb verb;

	int ticket;

	/** The ticket that a release queues, or zero. */
	int next;

	/** The fencing token that a release names as the last one used. */
	int used;

	/** The last fencing token of the grant that a native command releases. */
	int lastToken;

	/** Whether it is sent as a native command first. */
	boolean nativeWord;

	/** Whether it is the script that follows a native command in vain. */
	boolean fallback;

	/** Whether an attempt of the ticket was never answered. */
	boolean attemptUnanswered;

	/** Whether the command was sent more than once. */
	boolean repeated;

	Departure(Verb verb, int ticket, int next, int used) {
		this.verb = verb;
		this.ticket = ticket;
		this.next = next;
		this.used = used;
	}

	void mapTokens(IntUnaryOperator map) {
		if (this.verb == Verb.RELEASE) {
			this.used = map.applyAsInt(this.used);
		}
		if (this.nativeWord) {
			this.lastToken = map.applyAsInt(this.lastToken);
		}
	}

	void pass(StateForm form) {
		this.verb = form.constant(this.verb, VERBS);
		this.ticket = form.ticket(this.ticket);
		this.next = form.ticket(this.next);
		this.used = form.number(this.used);
		this.attemptUnanswered = form.flag(this.attemptUnanswered);
		this.repeated = form.flag(this.repeated);
		this.nativeWord = form.flag(this.nativeWord);
		this.fallback = form.flag(this.fallback);
		this.lastToken = form.number(this.nativeWord ? this.lastToken : 0);
	}

	@Override
	public String toString() {
		return this.verb + " " + ModelTicket.text(this.ticket);
	}

}
