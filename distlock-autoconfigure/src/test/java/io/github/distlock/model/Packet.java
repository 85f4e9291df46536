package io.github.distlock.model;

import java.util.function.IntUnaryOperator;

/** One command or one reply on the wire. */
final class Packet implements Cloneable {

	private static final Verb[] VERBS = Verb.values();

	private static final Audience[] AUDIENCES = Audience.values();

	private static final Answer[] ANSWERS = Answer.values();

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

	/** Ticks until it is sent. */
	int delay;

	/** Whether the command was sent before, in vain. */
	boolean repeated;

	/** Whether it is the script of a native release that was refused. */
	boolean fallback;

	/** Whether it was sent before such a script. */
	boolean ahead;

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

	/** The TTL of the holder in an answer to a waiting ticket. */
	int ttl;

	/** Whether the answer to a release grants the lock to the next ticket. */
	boolean nextGranted;

	/**
	 * Whether an attempt asks for a grant that may be kept; in the answer, whether it
	 * may. In a renewal, whether the value that it names says so.
	 */
	boolean keepable;

	/** Whether an attempt does not queue its ticket. */
	boolean unqueued;

	/** Whether an attempt wants an answer if a thread holds the lock. */
	boolean wantsAnswer;

	/** Whether the ticket that waits is the first in the queue. */
	boolean first;

	Packet(int entry, Verb verb, int ticket) {
		this.entry = entry;
		this.verb = verb;
		this.ticket = ticket;
	}

	Packet copy() {
		try {
			return (Packet) clone();
		}
		catch (CloneNotSupportedException ex) {
			throw new AssertionError(ex);
		}
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
				|| this.verb == Verb.RENEW || this.nativeWord && hasUsed();
	}

	boolean isSameAs(Packet other) {
		return this.entry == other.entry && this.verb == other.verb && this.ticket == other.ticket
				&& this.next == other.next && this.age == other.age && this.audience == other.audience
				&& this.answer == other.answer && this.firstToken == other.firstToken
				&& this.lastToken == other.lastToken && this.validity == other.validity && this.ttl == other.ttl
				&& this.nextGranted == other.nextGranted && this.used == other.used && this.repeated == other.repeated
				&& this.delay == other.delay && flags() == other.flags();
	}

	private int flags() {
		return (this.keepable ? 1 : 0) | (this.unqueued ? 2 : 0) | (this.wantsAnswer ? 4 : 0) | (this.first ? 8 : 0)
				| (this.nativeWord ? 16 : 0) | (this.fallback ? 32 : 0) | (this.ahead ? 64 : 0);
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

	void write(StateWriter out) {
		out.entry(this.entry).number(this.verb.ordinal()).ticket(this.ticket).ticket(this.next).number(this.age);
		out.number(hasUsed() ? this.used : 0).number(this.delay).flag(this.repeated);
		out.number(this.audience.ordinal()).number(this.answer.ordinal());
		out.number(this.firstToken).number(this.lastToken).number(this.validity).number(this.ttl);
		out.flag(this.nextGranted).number(flags());
	}

	static Packet read(StateReader in) {
		Packet read = new Packet(in.number(), in.constant(VERBS), in.number());
		read.next = in.number();
		read.age = in.number();
		read.used = in.number();
		read.delay = in.number();
		read.repeated = in.flag();
		read.audience = in.constant(AUDIENCES);
		read.answer = in.constant(ANSWERS);
		read.firstToken = in.number();
		read.lastToken = in.number();
		read.validity = in.number();
		read.ttl = in.number();
		read.nextGranted = in.flag();
		int flags = in.number();
		read.keepable = (flags & 1) != 0;
		read.unqueued = (flags & 2) != 0;
		read.wantsAnswer = (flags & 4) != 0;
		read.first = (flags & 8) != 0;
		read.nativeWord = (flags & 16) != 0;
		read.fallback = (flags & 32) != 0;
		read.ahead = (flags & 64) != 0;
		return read;
	}

	String result() {
		return this + "=" + this.answer
				+ ((this.answer == Answer.GRANTED || this.nextGranted) ? " valid " + this.validity : "");
	}

	@Override
	public String toString() {
		return (isAwaited() ? "" : "stray ") + (this.nativeWord ? "native " : "") + this.verb + " "
				+ ModelTicket.text(this.ticket) + ((this.next != 0) ? " next " + ModelTicket.text(this.next) : "");
	}

}
