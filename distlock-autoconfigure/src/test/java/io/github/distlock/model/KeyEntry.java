package io.github.distlock.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * What one JVM knows of the key: its threads, its ticket, and the command that is on its
 * way. With fair callers there is one entry for each thread.
 */
final class KeyEntry extends StatePart<KeyEntry> {

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

	/** Ticks for which the ticket has waited, in a JVM that gets no messages. */
	int refused;

	/** Whether the answer to an attempt of the ticket is expected. */
	boolean attempting;

	/** Whether an attempt of the ticket was never answered. */
	boolean attemptUnanswered;

	/** The token in the tombstone that this JVM has written by a native command. */
	int tombstone = StoreState.NO_TOKEN;

	/** The tickets that leave the store, the oldest first. */
	List<Packet> departures = List.of();

	/** Whether the answer to a renewal is expected. */
	boolean renewing;

	/** How many tickets the entry has made. */
	int tickets;

	/** Whether the ticket is to be cancelled as soon as that is allowed. */
	boolean wantsCancel;

	/** How many times the entry has attempted again since time passed. */
	int repeats;

	Turn turn = new Turn();

	@Override
	KeyEntry copy() {
		KeyEntry copy = super.copy();
		copy.turn = this.turn.copy();
		if (!this.departures.isEmpty()) {
			copy.departures = this.departures.stream().map(Packet::copy).toList();
		}
		return copy;
	}

	/**
	 * Whether the entry waits for the lock and nothing but time or a message wakes it.
	 */
	boolean isIdleWaiter() {
		return this.waiting > 0 && !this.holds && isIdle() && !this.mustAsk;
	}

	/** Whether no answer is expected, except to a renewal. */
	boolean isIdle() {
		return !this.attempting && this.departures.isEmpty();
	}

	@Nullable Packet departure(int leaving) {
		for (Packet each : this.departures) {
			if (each.ticket == leaving) {
				return each;
			}
		}
		return null;
	}

	/** Whether a release that is not answered queues this ticket. */
	boolean isSuccessor(int waiting) {
		return waiting != 0 && this.departures.stream().anyMatch((each) -> each.next == waiting);
	}

	/**
	 * Whether an attempt would be a script behind a native release that is not answered:
	 * if that one is refused, its script would follow behind the attempt.
	 */
	boolean awaitsNativeRelease() {
		return this.tombstone == StoreState.NO_TOKEN && this.departures.stream().anyMatch((each) -> each.nativeWord);
	}

	void add(Packet added) {
		List<Packet> more = new ArrayList<>(this.departures);
		more.add(added);
		this.departures = more;
	}

	void remove(Packet removed) {
		this.departures = this.departures.stream().filter((each) -> each != removed).toList();
	}

	void mapTokens(IntUnaryOperator map) {
		if (this.holds) {
			this.nextToken = map.applyAsInt(this.nextToken);
			this.lastToken = map.applyAsInt(this.lastToken);
		}
		if (this.tombstone != StoreState.NO_TOKEN) {
			this.tombstone = map.applyAsInt(this.tombstone);
		}
		this.departures.forEach((each) -> each.mapTokens(map));
	}

	void pass(StateForm form) {
		this.wishes = form.number(this.wishes);
		this.waiting = form.number(this.waiting);
		this.holds = form.flag(this.holds);
		this.ticket = form.ticket(this.ticket);
		this.validity = form.number(this.validity);
		this.nextToken = form.number(this.holds ? this.nextToken : 0);
		this.lastToken = form.number(this.holds ? this.lastToken : 0);
		this.handOffs = form.number(this.holds ? this.handOffs : 0);
		this.timer = form.number(this.timer);
		this.mustAsk = form.flag(this.mustAsk);
		this.refused = form.number(this.refused);
		this.tombstone = form.number(this.tombstone);
		this.attempting = form.flag(this.attempting);
		this.attemptUnanswered = form.flag(this.attemptUnanswered);
		int leaving = form.number(this.departures.size());
		for (int i = 0; i < leaving; i++) {
			if (i == this.departures.size()) {
				add(new Packet(0, Verb.CANCEL, 0));
			}
			this.departures.get(i).pass(form);
		}
		this.renewing = form.flag(this.renewing);
		this.tickets = form.number(this.tickets);
		this.wantsCancel = form.flag(this.wantsCancel);
		this.repeats = form.number(this.repeats);
		this.turn.pass(form);
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		if (this.holds) {
			text.append("HOLDS ").append(ModelTicket.text(this.ticket));
			text.append((this.validity > 0) ? " valid " + this.validity : " LEASE OVER");
		}
		else if (this.ticket != 0) {
			text.append("waits ").append(ModelTicket.text(this.ticket));
			text.append((this.timer != NO_TIMER) ? " timer " + this.timer : "").append(this.mustAsk ? " must ask" : "");
		}
		if (this.waiting > 0) {
			text.append(", ").append(this.waiting).append(" waiting");
		}
		text.append(this.attempting ? ", attempts" : "");
		this.departures.forEach((each) -> text.append(", ").append(each));
		return text.toString();
	}

}
