package io.github.distlock.backend.redis;

import org.jspecify.annotations.Nullable;

/**
 * A message to the inbox of a JVM, about a ticket. A grant has no prefix: no ticket
 * begins with that of another message, since a colon is in its name.
 */
sealed interface InboxMessage {

	/** The name of the ticket whose JVM receives the message. */
	String token();

	/** The name of the lock in Redis. */
	String lock();

	static InboxMessage parse(String text) {
		if (text.startsWith(EndedMessage.PREFIX)) {
			return EndedMessage.parse(text);
		}
		if (text.startsWith(AskedMessage.PREFIX)) {
			return AskedMessage.parse(text);
		}
		if (text.startsWith(RefusedMessage.PREFIX)) {
			return RefusedMessage.parse(text);
		}
		return GrantMessage.parse(text);
	}

	/**
	 * A grant, as a script publishes it.
	 *
	 * @param token the name of the ticket
	 * @param first the first fencing token
	 * @param last the last fencing token
	 * @param ttlMillis the lease
	 * @param grantedMicros the server's time of the grant
	 * @param lock the name of the lock in Redis
	 */
	record GrantMessage(String token, long first, long last, long ttlMillis, long grantedMicros,
			String lock) implements InboxMessage {

		static GrantMessage parse(String text) {
			String[] parts = text.split("\\|", 6);
			if (parts.length < 6) {
				throw new IllegalArgumentException("Not a grant: " + MessageCheck.quote(text));
			}
			return new GrantMessage(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]),
					Long.parseLong(parts[3]), Long.parseLong(parts[4]), parts[5]);
		}

	}

	/**
	 * The end of a grant by an operator, as a script publishes it.
	 *
	 * @param token the name of the ticket that held the lock
	 * @param grantToken the first fencing token of the grant
	 * @param lock the name of the lock in Redis
	 */
	record EndedMessage(String token, long grantToken, String lock) implements InboxMessage {

		static final String PREFIX = "ended|";

		static EndedMessage parse(String text) {
			String[] parts = text.split("\\|", 4);
			if (parts.length < 4) {
				throw new IllegalArgumentException("Not the end of a grant: " + MessageCheck.quote(text));
			}
			return new EndedMessage(parts[1], Long.parseLong(parts[2]), parts[3]);
		}

	}

	/**
	 * Another ticket waits for a lock whose value is marked, as a script publishes it.
	 *
	 * @param token the name of the ticket that holds the lock
	 * @param grantToken the first fencing token of the grant
	 * @param requester the name of the ticket that wants an answer, if one does
	 * @param lock the name of the lock in Redis
	 */
	record AskedMessage(String token, long grantToken, @Nullable String requester,
			String lock) implements InboxMessage {

		static final String PREFIX = "asked|";

		static AskedMessage parse(String text) {
			String[] parts = text.split("\\|", 5);
			if (parts.length < 5) {
				throw new IllegalArgumentException("Not a request for a lock: " + MessageCheck.quote(text));
			}
			return new AskedMessage(parts[1], Long.parseLong(parts[2]), parts[3].isEmpty() ? null : parts[3], parts[4]);
		}

	}

	/**
	 * The answer to a request: the lock is not given back at once.
	 *
	 * @param token the name of the ticket that wanted the answer
	 * @param lock the name of the lock in Redis
	 */
	record RefusedMessage(String token, String lock) implements InboxMessage {

		static final String PREFIX = "refused|";

		static RefusedMessage parse(String text) {
			String[] parts = text.split("\\|", 3);
			if (parts.length < 3) {
				throw new IllegalArgumentException("Not a refusal: " + MessageCheck.quote(text));
			}
			return new RefusedMessage(parts[1], parts[2]);
		}

		/** The text that {@link #parse} reads. */
		String text() {
			return PREFIX + this.token + "|" + this.lock;
		}

	}

}
