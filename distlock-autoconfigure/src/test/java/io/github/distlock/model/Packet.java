package io.github.distlock.model;

import java.util.function.IntUnaryOperator;

/**
 * One command, one reply or one message on the wire. A release or cancel that its JVM
 * repeats until it is answered is kept as one, too.
 */
final class Packet extends StatePart<Packet> {

	/** The entry that sent it. */
	int entry;

	Verb verb;

	int ticket;

	/** The ticket that a release queues, or zero. */
	int next;

	/** Whether it is a native command instead of a script. */
	boolean nativeWord;

	/**
	 * The fencing token that a release names as the last one used; that of the tombstone
	 * which a native attempt replaces.
	 */
	int used;

	/** How a JVM that gets no messages attempts; otherwise the ticket is queued. */
	Polling polling = Polling.NONE;

	/** Ticks until it is sent. */
	int delay;

	/** Whether the command was sent before, in vain. */
	boolean repeated;

	/** Whether it is the script of a native release that was refused. */
	boolean fallback;

	/** Whether it was sent before such a script. */
	boolean ahead;

	/** Whether an attempt of a ticket that leaves was never answered. */
	boolean attemptUnanswered;

	/** Ticks since it was sent. */
	int age;

	Audience audience = Audience.AWAITED;

	Answer answer = Answer.NONE;

	/** The first fencing token of the grant in the answer. */
	int firstToken;

	/** The last one, or the last token of the grant that is renewed. */
	int lastToken;

	/** How many ticks the grant in the answer is valid for the client. */
	int validity;

	/** The TTL of the holder in an answer to a waiting ticket; of a grant by message. */
	int ttl;

	/** Whether the answer to a release grants the lock to the next ticket. */
	boolean nextGranted;

	Packet(int entry, Verb verb, int ticket) {
		this.entry = entry;
		this.verb = verb;
		this.ticket = ticket;
	}

	boolean isAwaited() {
		return this.audience == Audience.AWAITED;
	}

	boolean isSent() {
		return this.delay == 0;
	}

	boolean isExecuted() {
		return this.answer != Answer.NONE;
	}

	boolean isFor(int sender, Verb command, int name) {
		return this.entry == sender && this.verb == command && this.ticket == name;
	}

	boolean isRenewal() {
		return this.verb == Verb.RENEW;
	}

	private boolean hasTokens() {
		return this.answer == Answer.GRANTED || this.nextGranted || this.verb == Verb.LATE_WRITE
				|| this.verb == Verb.MESSAGE || this.verb == Verb.RENEW || this.nativeWord && hasUsed();
	}

	boolean isSameAs(Packet other) {
		return this.entry == other.entry && this.verb == other.verb && this.ticket == other.ticket
				&& this.next == other.next && this.age == other.age && this.audience == other.audience
				&& this.answer == other.answer && this.firstToken == other.firstToken
				&& this.lastToken == other.lastToken && this.validity == other.validity && this.ttl == other.ttl
				&& this.nextGranted == other.nextGranted && this.used == other.used && this.repeated == other.repeated
				&& this.delay == other.delay && this.polling == other.polling && flags() == other.flags();
	}

	private int flags() {
		return (this.nativeWord ? 1 : 0) | (this.fallback ? 2 : 0) | (this.ahead ? 4 : 0)
				| (this.attemptUnanswered ? 8 : 0);
	}

	private boolean hasUsed() {
		return this.answer == Answer.NONE
				&& (this.verb == Verb.RELEASE || this.verb == Verb.ATTEMPT && this.nativeWord);
	}

	void mapTokens(IntUnaryOperator map) {
		if (hasUsed()) {
			this.used = map.applyAsInt(this.used);
		}
		if (hasTokens()) {
			this.firstToken = map.applyAsInt(this.firstToken);
			this.lastToken = map.applyAsInt(this.lastToken);
		}
	}

	void pass(StateForm form) {
		this.entry = form.entry(this.entry);
		this.verb = form.constant(this.verb);
		this.ticket = form.ticket(this.ticket);
		this.next = form.ticket(this.next);
		this.age = form.number(this.age);
		this.used = form.number(hasUsed() ? this.used : 0);
		this.delay = form.number(this.delay);
		this.repeated = form.flag(this.repeated);
		this.audience = form.constant(this.audience);
		this.answer = form.constant(this.answer);
		this.firstToken = form.number(this.firstToken);
		this.lastToken = form.number(this.lastToken);
		this.validity = form.number(this.validity);
		this.ttl = form.number(this.ttl);
		this.nextGranted = form.flag(this.nextGranted);
		this.polling = form.constant(this.polling);
		int flags = form.number(flags());
		this.nativeWord = (flags & 1) != 0;
		this.fallback = (flags & 2) != 0;
		this.ahead = (flags & 4) != 0;
		this.attemptUnanswered = (flags & 8) != 0;
	}

	/** Send the script from now on, instead of a native command. */
	void dropNativeWord() {
		this.nativeWord = false;
		this.firstToken = 0;
		this.lastToken = 0;
	}

	String result() {
		return this + "=" + this.answer
				+ ((this.answer == Answer.GRANTED || this.nextGranted) ? " valid " + this.validity : "");
	}

	@Override
	public String toString() {
		return (isAwaited() ? "" : "stray ") + (this.nativeWord ? "native " : "") + this.verb + " "
				+ ModelTicket.text(this.ticket) + ((this.next != 0) ? " next " + ModelTicket.text(this.next) : "")
				+ ((this.polling != Polling.NONE) ? " " + this.polling : "");
	}

}
