package io.github.distlock.simulation;

import java.util.Locale;

import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a script, with what it has of these.
 *
 * @param word what has happened
 * @param first the first fencing token of the grant
 * @param ttl what is left of the lease, in milliseconds: of the grant, or of the holder
 * @param queuedNow whether the ticket was queued only now
 * @param holder what holds the lock
 * @param holderFirst the first fencing token of that
 */
record ServerAnswer(Word word, long first, long ttl, int position, boolean queuedNow, long serverMicros,
		@Nullable Ticket holder, long holderFirst) {

	enum Word {

		/** The ticket, or the next one, holds the lock. */
		GRANTED,

		/** The ticket, or the next one, is queued. */
		WAITING,

		/** The lock is not free, and the ticket not queued. */
		BUSY,

		/** Released, and the next ticket is not queued. */
		UNQUEUED,

		OK,

		/** The ticket neither held the lock nor waited. */
		GONE

	}

	static ServerAnswer of(Word word) {
		return new ServerAnswer(word, 0, 0, 0, false, 0, null, 0);
	}

	static ServerAnswer granted(long first, long ttl) {
		return new ServerAnswer(Word.GRANTED, first, ttl, 0, false, 0, null, 0);
	}

	@Override
	public String toString() {
		String text = this.word.toString().toLowerCase(Locale.ROOT);
		String behind = (this.holder != null) ? ", held by " + this.holder.token() : "";
		return switch (this.word) {
			case GRANTED -> text + " " + this.first + " for " + this.ttl + " ms";
			case WAITING -> text + " at " + this.position + behind + " for " + this.ttl + " ms";
			case BUSY -> text + behind;
			case GONE -> (this.first != 0) ? text + ", next holds " + this.first : text;
			default -> text;
		};
	}

}
