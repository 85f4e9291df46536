package io.github.distlock.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What the simulated server keeps for one key: the lock's word, the readers, and the
 * queue, as {@code base.lua} describes them. Times are milliseconds of the server.
 */
final class StoredKey {

	enum Word {

		/** There is no word. */
		ABSENT,

		/** One ticket holds the lock. */
		OWNED,

		/** Readers hold the lock. */
		READERS,

		/** Only the last fencing token is kept for a while. */
		TOMBSTONE

	}

	Word word = Word.ABSENT;

	/** The owner; {@code null} unless the lock is owned. */
	@Nullable Ticket owner;

	/** Whether the word begins with '+': tickets may wait. */
	boolean waited;

	/** The first fencing token of the owner. */
	long first;

	/** The last fencing token of the owner, or that of the other words. */
	long last;

	/** When the word ends. */
	long expires;

	/** The readers. Without the word for readers they mean nothing. */
	final Map<Ticket, Reader> readers = new LinkedHashMap<>();

	/** The waiting tickets, the longest waiting first. */
	final List<Waiter> queue = new ArrayList<>();

	/** The instance whose claim is before the queue. */
	@Nullable String claim;

	/** By instance: until when its uncounted tickets count as alive. */
	final Map<String, Long> seen = new TreeMap<>();

	/** When the queue ends. */
	long queueExpires;

	StoredKey copy() {
		StoredKey copy = new StoredKey();
		copy.word = this.word;
		copy.owner = this.owner;
		copy.waited = this.waited;
		copy.first = this.first;
		copy.last = this.last;
		copy.expires = this.expires;
		copy.readers.putAll(this.readers);
		copy.queue.addAll(this.queue);
		copy.claim = this.claim;
		copy.seen.putAll(this.seen);
		copy.queueExpires = this.queueExpires;
		return copy;
	}

	void expire(long nowMillis) {
		if (this.word != Word.ABSENT && nowMillis > this.expires) {
			absent();
			this.readers.clear();
		}
		if (nowMillis > this.queueExpires) {
			this.queue.clear();
			this.seen.clear();
			this.claim = null;
		}
	}

	void absent() {
		write(Word.ABSENT, 0, 0);
	}

	/** Write a word that has no owner. */
	void write(Word word, long last, long expires) {
		this.word = word;
		this.owner = null;
		this.waited = false;
		this.first = 0;
		this.last = last;
		this.expires = expires;
	}

	void own(Ticket owner, long first, long count, long expires) {
		write(Word.OWNED, first + count - 1, expires);
		this.owner = owner;
		this.first = first;
	}

	/** Whether nothing of the queue is there, not even when an instance was seen. */
	boolean hasNoQueue() {
		return this.queue.isEmpty() && this.claim == null && this.seen.isEmpty();
	}

	boolean isGone() {
		return this.word == Word.ABSENT && hasNoQueue();
	}

	/** The place of a ticket in the queue, or -1. */
	int place(Ticket ticket) {
		for (int i = 0; i < this.queue.size(); i++) {
			if (this.queue.get(i).ticket().equals(ticket)) {
				return i;
			}
		}
		return -1;
	}

	/** What must be true between two commands. */
	@Nullable String broken() {
		boolean waits = !this.queue.isEmpty();
		if (waits && (this.word == Word.TOMBSTONE || this.word == Word.OWNED && !this.waited)) {
			return "a ticket waits, and the word does not say so";
		}
		if (this.owner != null && this.owner.isReader()
				&& this.queue.stream().anyMatch((waiter) -> waiter.ticket().isReader())) {
			return "a reader waits while another one owns the lock";
		}
		if (waits && this.word == Word.READERS && this.claim == null
				&& this.queue.get(0).ticket().mayJoin(this.readers.size())) {
			return "a ticket waits that may join the readers";
		}
		return null;
	}

	@Override
	public String toString() {
		String text = switch (this.word) {
			case ABSENT -> "absent";
			case OWNED -> (this.waited ? "+" : "-") + Objects.requireNonNull(this.owner).token() + " " + this.first;
			case READERS -> "~" + this.last + " " + this.readers.keySet().stream().map(Ticket::token).toList();
			case TOMBSTONE -> "tombstone " + this.last;
		};
		return text + ((this.claim != null) ? " !" + this.claim : "") + (this.queue.isEmpty() ? ""
				: " queue " + this.queue.stream().map((each) -> each.ticket().token()).toList());
	}

	/** A reader that holds the lock: when its lease ends, and its fencing token. */
	record Reader(long ends, long first) {
	}

	/**
	 * A ticket that waits.
	 *
	 * @param grace within which a grant by message must be confirmed
	 * @param counted whether the receivers of a message to its JVM can be counted
	 */
	record Waiter(Ticket ticket, long grace, boolean counted) {
	}

}
