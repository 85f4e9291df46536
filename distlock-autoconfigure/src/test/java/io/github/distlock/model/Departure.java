package io.github.distlock.model;

import java.util.function.IntUnaryOperator;

/** A ticket that leaves the store: its release or cancel is repeated until answered. */
final class Departure implements Cloneable {

	private static final Verb[] VERBS = Verb.values();

	final Verb verb;

	final int ticket;

	/** The ticket that a release queues, or zero. */
	final int next;

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

	Departure copy() {
		try {
			return (Departure) clone();
		}
		catch (CloneNotSupportedException ex) {
			throw new AssertionError(ex);
		}
	}

	void mapTokens(IntUnaryOperator map) {
		if (this.verb == Verb.RELEASE) {
			this.used = map.applyAsInt(this.used);
		}
		if (this.nativeWord) {
			this.lastToken = map.applyAsInt(this.lastToken);
		}
	}

	void write(StateWriter out) {
		out.number(this.verb.ordinal()).ticket(this.ticket).ticket(this.next).number(this.used);
		out.flag(this.attemptUnanswered).flag(this.repeated).flag(this.nativeWord).flag(this.fallback);
		out.number(this.nativeWord ? this.lastToken : 0);
	}

	static Departure read(StateReader in) {
		Departure read = new Departure(in.constant(VERBS), in.number(), in.number(), in.number());
		read.attemptUnanswered = in.flag();
		read.repeated = in.flag();
		read.nativeWord = in.flag();
		read.fallback = in.flag();
		read.lastToken = in.number();
		return read;
	}

	@Override
	public String toString() {
		return this.verb + " " + ModelTicket.text(this.ticket);
	}

}
