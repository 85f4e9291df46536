package io.github.distlock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.distlock.backend.Ticket;
import io.github.distlock.simulation.StoredKey.Reader;
import io.github.distlock.simulation.StoredKey.Waiter;
import io.github.distlock.simulation.StoredKey.Word;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a script on one key: the functions that {@code values.lua},
 * {@code grant.lua} and {@code readers.lua} share, by the same names.
 */
class ServerScript {

	/** The number of tokens of a grant; readers have one. */
	static final int COUNT = 16;

	private static final long MAX_GRACE = 5000;

	private static final long QUEUE_TTL = 10_000;

	private static final long TOMBSTONE = 10_000;

	final StoredKey stored;

	final long now;

	final long nowMillis;

	private final SimulatedNetwork network;

	/** What holds the lock, as the script knows it. */
	Word state;

	/** The owner; {@code null} unless one ticket holds the lock. */
	@Nullable Ticket owner;

	/** The first token of the owner, otherwise the last one given. */
	long first;

	/** The last token that counts as given. */
	long last;

	/** What is left of a lease that was just granted. */
	long ttl;

	ServerScript(StoredKey stored, long nowMicros, SimulatedNetwork network) {
		this.stored = stored;
		this.now = nowMicros;
		this.nowMillis = nowMicros / 1000;
		this.network = network;
		this.state = stored.word;
		this.owner = stored.owner;
		this.last = stored.last;
		this.first = (this.owner != null) ? stored.first : this.last;
	}

	static long count(Ticket ticket) {
		return ticket.isReader() ? 1 : COUNT;
	}

	/** What is left of the word. */
	long pttl() {
		return this.stored.expires - this.nowMillis;
	}

	long nextToken(long last) {
		return Math.max(last + 1, this.now);
	}

	/** Write the word of an owner, while tickets may wait. */
	void own(Ticket owner, long first, long ttl) {
		this.stored.own(owner, first, COUNT, this.nowMillis + ttl);
		this.stored.waited = true;
		this.state = Word.OWNED;
		this.owner = owner;
		this.first = first;
		this.last = first + COUNT - 1;
		this.ttl = ttl;
	}

	void bury(long last) {
		this.stored.write(Word.TOMBSTONE, last, this.nowMillis + Math.max(0, last - this.now) / 1000 + TOMBSTONE);
	}

	@Nullable Waiter head() {
		return this.stored.queue.isEmpty() ? null : this.stored.queue.get(0);
	}

	/** Whether neither a ticket nor a claim is in the queue. */
	boolean isQueueEmpty() {
		return this.stored.queue.isEmpty() && this.stored.claim == null;
	}

	boolean remove(Ticket ticket) {
		int place = this.stored.place(ticket);
		if (place >= 0) {
			this.stored.queue.remove(place);
		}
		return place >= 0;
	}

	private void seen(Ticket ticket, long grace) {
		this.stored.seen.merge(ticket.instance(), this.nowMillis + grace * 3 / 2, Math::max);
	}

	private boolean isUnseen(Waiter waiter) {
		return !waiter.counted() && this.stored.seen.getOrDefault(waiter.ticket().instance(), 0L) < this.nowMillis;
	}

	/** Queue a ticket, or change how it is queued. Answers whether it is new. */
	boolean enqueue(Ticket ticket, long lease, char mark) {
		Waiter waiter = new Waiter(ticket, Math.min(MAX_GRACE, lease), mark == 'T');
		int place = this.stored.place(ticket);
		if (place < 0) {
			this.stored.queue.add(waiter);
		}
		else {
			this.stored.queue.set(place, waiter);
		}
		if (mark == 'S') {
			seen(ticket, waiter.grace());
		}
		this.stored.queueExpires = this.nowMillis + QUEUE_TTL;
		return place < 0;
	}

	/** Answers how many receivers the server counts. */
	int publish(Ticket ticket, ServerMessage message) {
		return this.network.publish(ticket.instance(), message);
	}

	private int publishGrant(Ticket ticket, long first, long last, long ttl) {
		return publish(ticket, ServerMessage.granted(ticket, first, last, ttl, this.now));
	}

	/**
	 * Grant the lock to the longest waiting ticket that is alive. Sets what holds the
	 * lock then: nothing, with the last token given, if no ticket waits.
	 */
	void grantNext(long last, @Nullable Ticket requester, long requesterLease, boolean abandoned) {
		this.state = Word.ABSENT;
		this.owner = null;
		this.first = last;
		this.last = last;
		this.ttl = 0;
		String claim = this.stored.claim;
		if (claim != null) {
			this.stored.claim = null;
			if (abandoned && (requester == null || !requester.instance().equals(claim))) {
				this.stored.queue.removeIf((each) -> each.ticket().instance().equals(claim));
			}
		}
		Waiter waiter;
		while ((waiter = head()) != null) {
			Ticket ticket = waiter.ticket();
			if (ticket.isReader()) {
				this.stored.readers.clear();
				if (admit(last, requester, requesterLease)) {
					this.state = Word.READERS;
					this.first = this.last;
					this.ttl = pttl();
					return;
				}
				this.last = last;
				continue;
			}
			boolean gone = isUnseen(waiter);
			remove(ticket);
			if (gone) {
				continue;
			}
			long next = nextToken(last);
			if (ticket.equals(requester)) {
				own(ticket, next, requesterLease);
				return;
			}
			own(ticket, next, waiter.grace());
			if (publishGrant(ticket, next, next + COUNT - 1, waiter.grace()) > 0 || !waiter.counted()) {
				if (ticket.fair() && head() != null) {
					this.stored.claim = ticket.instance();
				}
				return;
			}
			this.state = Word.ABSENT;
			this.owner = null;
			this.first = last;
			this.last = last;
		}
	}

	void pass(long last) {
		grantNext(last, null, 0, false);
		if (this.state == Word.ABSENT) {
			bury(this.last);
		}
	}

	/** Let waiting readers join those that hold the lock, or pass it on. */
	void join(long last) {
		if (!admitHead(last, null, 0)) {
			pass(this.last);
		}
	}

	/** Let in those that may enter when a reader has left, or pass the lock on. */
	void succeed(long last) {
		if (settle(last)) {
			join(last);
		}
		else {
			pass(last);
		}
	}

	/** Release the lock of a reader. Answers whether it held the lock. */
	boolean leave(Ticket ticket, long last) {
		boolean held = reading(ticket) != null;
		if (this.stored.readers.remove(ticket) != null) {
			succeed(last);
		}
		return held;
	}

	/** Remove a ticket from the queue. Answers whether it was there. */
	boolean forget(Ticket ticket) {
		if (!remove(ticket)) {
			return false;
		}
		if (this.stored.word == Word.READERS) {
			join(this.stored.last);
		}
		return true;
	}

	@Nullable Reader reading(@Nullable Ticket ticket) {
		Reader reader = (ticket != null) ? this.stored.readers.get(ticket) : null;
		return (reader != null && reader.ends() > this.nowMillis) ? reader : null;
	}

	/** The reader whose lease ends first. */
	Map.@Nullable Entry<Ticket, Reader> shortest() {
		return this.stored.readers.entrySet()
			.stream()
			.filter((each) -> each.getValue().ends() > this.nowMillis)
			.min((one, other) -> Long.compare(one.getValue().ends(), other.getValue().ends()))
			.orElse(null);
	}

	/** Let a reader in; {@link #settle} must follow. Answers its fencing token. */
	long enter(Ticket ticket, long ttl, long last) {
		long first = nextToken(last);
		this.stored.readers.remove(ticket);
		this.stored.readers.put(ticket, new Reader(this.nowMillis + ttl, first));
		return first;
	}

	/** Make the reader that owns the lock one of several. */
	void share() {
		Ticket alone = this.stored.owner;
		this.stored.readers.clear();
		this.stored.readers.put(alone, new Reader(this.stored.expires + 1, this.stored.first));
		settle(this.stored.first);
		this.state = Word.READERS;
		this.owner = null;
		this.first = this.last;
	}

	/**
	 * Let the lock last as long as the longest lease. Answers whether a reader is left.
	 */
	boolean settle(long last) {
		this.stored.readers.values().removeIf((reader) -> reader.ends() <= this.nowMillis);
		if (this.stored.readers.isEmpty()) {
			return false;
		}
		long ends = this.stored.readers.values().stream().mapToLong(Reader::ends).max().getAsLong();
		this.stored.write(Word.READERS, last, ends);
		return true;
	}

	boolean mayEnter(Ticket ticket) {
		return ticket.mayJoin(holders());
	}

	/** How many readers hold the lock: those whose lease has not ended. */
	int holders() {
		return (int) this.stored.readers.keySet().stream().filter((each) -> reading(each) != null).count();
	}

	/**
	 * Let in readers that are alive from the head of the queue, as many as may enter. In
	 * place of those whose JVM receives nothing the next ones are called. Answers whether
	 * any reader holds the lock now, and sets the last token given.
	 */
	private boolean admit(long last, @Nullable Ticket requester, long requesterLease) {
		record Called(Waiter waiter, long first) {
		}
		long given = last;
		boolean deaf;
		do {
			List<Called> called = new ArrayList<>();
			Waiter waiter;
			while ((waiter = head()) != null && mayEnter(waiter.ticket())) {
				boolean gone = isUnseen(waiter);
				remove(waiter.ticket());
				if (!gone) {
					given = enter(waiter.ticket(), waiter.ticket().equals(requester) ? requesterLease : waiter.grace(),
							given);
					called.add(new Called(waiter, given));
				}
			}
			this.last = last;
			if (!settle(given)) {
				return false;
			}
			deaf = false;
			for (Called each : called) {
				Ticket ticket = each.waiter().ticket();
				if (!ticket.equals(requester)
						&& publishGrant(ticket, each.first(), each.first(), each.waiter().grace()) == 0
						&& each.waiter().counted()) {
					this.stored.readers.remove(ticket);
					deaf = true;
				}
			}
		}
		while (deaf && callsTheNext());
		this.last = given;
		return true;
	}

	/** Whether the next ticket is called in place of one whose JVM receives nothing. */
	boolean callsTheNext() {
		return true;
	}

	private @Nullable Waiter firstInQueue() {
		this.stored.claim = null;
		return head();
	}

	/**
	 * Let waiting readers join those that hold the lock. Answers whether any reader holds
	 * it, and sets the last token given.
	 */
	boolean admitHead(long last, @Nullable Ticket requester, long requesterLease) {
		Waiter waiter = firstInQueue();
		this.last = last;
		return waiter == null || !mayEnter(waiter.ticket()) || admit(last, requester, requesterLease);
	}

	/**
	 * Check that the ticket before the requester is alive. Answers as {@link #admitHead}.
	 */
	boolean passOver(long last, Ticket requester, long requesterLease) {
		Waiter waiter = firstInQueue();
		while (waiter != null && !waiter.ticket().equals(requester) && !mayEnter(waiter.ticket())) {
			Ticket ticket = waiter.ticket();
			if (!isUnseen(waiter) && (!waiter.counted() || publishGrant(ticket, 0, 0, 0) > 0)) {
				if (waiter.counted()) {
					this.stored.queue.set(0, new Waiter(ticket, waiter.grace(), false));
					seen(ticket, waiter.grace());
				}
				this.last = last;
				return true;
			}
			remove(ticket);
			waiter = head();
		}
		return admitHead(last, requester, requesterLease);
	}

	/** Creates the execution of a script, which may have a flaw. */
	interface Factory {

		ServerScript create(StoredKey stored, long nowMicros, SimulatedNetwork network);

	}

}
