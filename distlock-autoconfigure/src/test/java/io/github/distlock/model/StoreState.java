package io.github.distlock.model;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * What the server keeps for one key: the lock's value and the queue. Fencing tokens are
 * relative to the server's clock.
 */
final class StoreState extends StatePart<StoreState> {

	/** The server has forgotten the last fencing token. */
	static final int NO_TOKEN = -120;

	/** The ticket that holds the lock. Zero is a tombstone, or no value at all. */
	int owner;

	/** How many ticks are left of the value. */
	int ttl;

	/** Whether the lease is short, until the owner has confirmed a grant. */
	boolean grace;

	/** Whether the value begins with '+': tickets may wait. Otherwise none does. */
	boolean marked;

	/** The last fencing token of the owner's grant, or that in the tombstone. */
	int lastToken = NO_TOKEN;

	/** The waiting tickets, the longest waiting first. */
	int[] queue = new int[0];

	/** Which of them poll, by the same index. */
	boolean[] polled = new boolean[0];

	int queueTtl;

	/**
	 * The claim at the head of the queue: one more than the number of the JVM that was
	 * granted the lock by a message for a fair caller while others waited. Zero if none.
	 */
	int claim;

	void clear() {
		expire();
		forgetQueue();
	}

	/** The value's lease has ended. */
	void expire() {
		bury(NO_TOKEN, 0);
	}

	/** Free the lock: only a tombstone with the last token stays, for a while. */
	void bury(int last, int ticks) {
		this.owner = 0;
		this.ttl = ticks;
		this.grace = false;
		this.marked = false;
		this.lastToken = last;
	}

	/** Write the value of an owner. */
	void own(int ticket, int last, int ticks, boolean unconfirmed, boolean mayHaveWaiters) {
		this.owner = ticket;
		this.lastToken = last;
		this.ttl = ticks;
		this.grace = unconfirmed;
		this.marked = mayHaveWaiters;
	}

	/** Whether there is no value: neither an owner nor a tombstone. */
	boolean isAbsent() {
		return this.owner == 0 && this.lastToken == NO_TOKEN;
	}

	/** Whether the queue has neither a ticket nor a claim. */
	boolean isQueueEmpty() {
		return this.queue.length == 0 && this.claim == 0;
	}

	void forgetQueue() {
		this.queue = new int[0];
		this.polled = new boolean[0];
		this.claim = 0;
		this.queueTtl = 0;
	}

	boolean isQueued(int ticket) {
		return place(ticket) >= 0;
	}

	private int place(int ticket) {
		for (int i = 0; i < this.queue.length; i++) {
			if (this.queue[i] == ticket) {
				return i;
			}
		}
		return -1;
	}

	boolean endsWithPolled() {
		return this.polled.length > 0 && this.polled[this.polled.length - 1];
	}

	int[] queueWithout(int ticket) {
		return isQueued(ticket) ? Arrays.stream(this.queue).filter((each) -> each != ticket).toArray() : this.queue;
	}

	void dequeue(int ticket) {
		int place = place(ticket);
		if (place >= 0) {
			boolean[] fewer = Arrays.copyOf(this.polled, this.polled.length - 1);
			System.arraycopy(this.polled, place + 1, fewer, place, fewer.length - place);
			this.polled = fewer;
		}
		this.queue = queueWithout(ticket);
		keepQueueIfUsed();
	}

	void removeClaim() {
		this.claim = 0;
		keepQueueIfUsed();
	}

	private void keepQueueIfUsed() {
		if (isQueueEmpty()) {
			this.queueTtl = 0;
		}
	}

	/** Queue a ticket at the end, unless it is queued, or change whether it polls. */
	void enqueue(int ticket, boolean polls, int queueLifetime) {
		if (!isQueued(ticket)) {
			this.queue = Arrays.copyOf(this.queue, this.queue.length + 1);
			this.queue[this.queue.length - 1] = ticket;
		}
		boolean[] changed = Arrays.copyOf(this.polled, this.queue.length);
		changed[place(ticket)] = polls;
		this.polled = changed;
		this.queueTtl = queueLifetime;
	}

	void mapTokens(IntUnaryOperator map) {
		if (this.lastToken != NO_TOKEN) {
			this.lastToken = map.applyAsInt(this.lastToken);
		}
	}

	void pass(StateForm form) {
		this.owner = form.ticket(this.owner);
		this.ttl = form.number(this.ttl);
		this.grace = form.flag(this.grace);
		this.marked = form.flag(this.marked);
		this.lastToken = form.number(this.lastToken);
		this.queueTtl = form.number(this.queueTtl);
		this.claim = form.claim(this.claim);
		int[] passed = new int[form.number(this.queue.length)];
		boolean[] passedPolled = new boolean[passed.length];
		for (int i = 0; i < passed.length; i++) {
			passed[i] = form.ticket((i < this.queue.length) ? this.queue[i] : 0);
			passedPolled[i] = form.flag(i < this.queue.length && this.polled[i]);
		}
		this.queue = passed;
		this.polled = passedPolled;
	}

	@Override
	public String toString() {
		String value = (this.owner != 0)
				? (this.marked ? "+" : "-") + ModelTicket.text(this.owner) + (this.grace ? " (grace)" : "")
				: isAbsent() ? "absent" : "tombstone";
		StringBuilder text = new StringBuilder("store[").append(value)
			.append(" ttl ")
			.append(this.ttl)
			.append(" queue");
		if (this.claim != 0) {
			text.append(" !").append(this.claim - 1);
		}
		for (int ticket : this.queue) {
			text.append(' ').append(ModelTicket.text(ticket));
		}
		return text.append(']').toString();
	}

}
