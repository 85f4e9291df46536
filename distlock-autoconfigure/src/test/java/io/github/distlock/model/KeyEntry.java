package io.github.distlock.model;

import java.util.function.IntUnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * What one JVM knows of the key: its threads, its ticket, and the command that is on its
 * way. With fair callers there is one entry for each thread.
 */
final class KeyEntry implements Cloneable {

	static final int NO_TIMER = -1;

	/** How many times threads will still want the lock. */
	int wishes;

	/** How many threads wait. */
	int waiting;

	/** Whether a thread holds the lock. */
	boolean holds;

	/** The ticket that waits or holds, or zero. */
	int ticket;

	/** How many ticks the grant is still valid on this JVM's clock. */
	int validity;

	/** The fencing token of the next hand-off, while a thread holds. */
	int nextToken;

	/** The last fencing token of the grant, while a thread holds. */
	int lastToken;

	/** How many times the grant was handed off. */
	int handOffs;

	/** Ticks until the waiting ticket attempts again. */
	int timer = NO_TIMER;

	/** Whether the waiting ticket has to attempt again now. */
	boolean mustAsk;

	/** The command whose answer the entry waits for. */
	@Nullable Verb open;

	int openTicket;

	/** The ticket that the open release queues. */
	int openNext;

	/** The fencing token that the open release names as the last one used. */
	int openUsed;

	/** Whether an attempt of the ticket was never answered. */
	boolean unanswered;

	/** Whether an attempt of the ticket that leaves was never answered. */
	boolean openUnanswered;

	/** Whether the answer to a renewal is expected. */
	boolean renewing;

	/** How many tickets the entry has made. */
	int tickets;

	/** Whether the ticket is to be cancelled when the open attempt has been answered. */
	boolean wantsCancel;

	/** How many times the entry has attempted again since time passed. */
	int repeats;

	KeptGrant grant = new KeptGrant();

	SingleTry single = new SingleTry();

	KeyEntry copy() {
		try {
			KeyEntry copy = (KeyEntry) clone();
			copy.grant = this.grant.copy();
			copy.single = this.single.copy();
			return copy;
		}
		catch (CloneNotSupportedException ex) {
			throw new AssertionError(ex);
		}
	}

	/**
	 * Whether the entry waits for the lock and nothing but time or a message wakes it.
	 */
	boolean isIdleWaiter() {
		return this.waiting > 0 && !this.holds && this.open == null && !this.mustAsk;
	}

	/** Whether a thread holds the lock, or the JVM keeps it. */
	boolean hasGrant() {
		return this.holds || this.grant.kept;
	}

	void mapTokens(IntUnaryOperator map) {
		if (hasGrant()) {
			this.nextToken = map.applyAsInt(this.nextToken);
			this.lastToken = map.applyAsInt(this.lastToken);
		}
		if (this.open == Verb.RELEASE) {
			this.openUsed = map.applyAsInt(this.openUsed);
		}
	}

	void write(StateWriter out) {
		out.number(this.wishes).number(this.waiting).flag(this.holds).ticket(this.ticket).number(this.validity);
		out.number(hasGrant() ? this.nextToken : 0).number(hasGrant() ? this.lastToken : 0);
		out.number(hasGrant() ? this.handOffs : 0).number(this.timer).flag(this.mustAsk);
		out.number((this.open != null) ? this.open.ordinal() : -1).ticket(this.openTicket).ticket(this.openNext);
		out.number((this.open == Verb.RELEASE) ? this.openUsed : 0).flag(this.unanswered).flag(this.openUnanswered);
		out.flag(this.renewing).number(this.tickets).flag(this.wantsCancel).number(this.repeats);
		this.grant.write(out);
		this.single.write(out);
	}

	static KeyEntry read(StateReader in) {
		KeyEntry read = new KeyEntry();
		read.wishes = in.number();
		read.waiting = in.number();
		read.holds = in.flag();
		read.ticket = in.number();
		read.validity = in.number();
		read.nextToken = in.number();
		read.lastToken = in.number();
		read.handOffs = in.number();
		read.timer = in.number();
		read.mustAsk = in.flag();
		int open = in.number();
		read.open = (open >= 0) ? Verb.values()[open] : null;
		read.openTicket = in.number();
		read.openNext = in.number();
		read.openUsed = in.number();
		read.unanswered = in.flag();
		read.openUnanswered = in.flag();
		read.renewing = in.flag();
		read.tickets = in.number();
		read.wantsCancel = in.flag();
		read.repeats = in.number();
		read.grant = KeptGrant.read(in);
		read.single = SingleTry.read(in);
		return read;
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		if (this.holds) {
			text.append(this.grant.handBack ? "HOLDS ASKED " : "HOLDS ").append(ModelTicket.text(this.ticket));
			text.append((this.validity > 0) ? " valid " + this.validity : " LEASE OVER");
		}
		else if (this.grant.kept) {
			text.append("KEEPS ").append(ModelTicket.text(this.ticket)).append(" valid ").append(this.validity);
		}
		else if (this.ticket != 0) {
			text.append("waits ").append(ModelTicket.text(this.ticket));
			text.append((this.timer != NO_TIMER) ? " timer " + this.timer : "").append(this.mustAsk ? " must ask" : "");
		}
		if (this.waiting > 0) {
			text.append(", ").append(this.waiting).append(" waiting");
		}
		if (this.single.isActive()) {
			text.append(this.single.asks ? ", asks" : ", tries").append(this.single.uncontended ? " alone" : "");
		}
		if (this.open != null) {
			text.append(", open: ").append(this.open).append(' ').append(ModelTicket.text(this.openTicket));
		}
		return text.toString();
	}

}
