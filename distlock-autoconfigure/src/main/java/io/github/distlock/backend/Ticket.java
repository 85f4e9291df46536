package io.github.distlock.backend;

import io.github.distlock.LockMode;

/**
 * One place in the store's queue, later the proof of ownership. Unique for ever.
 *
 * @param key what is locked, as the user wrote it
 * @param mode how it is shared
 * @param instance the JVM's part of the name: unique for ever, of letters, digits,
 * hyphens and underscores
 * @param number the ticket's number in its JVM
 * @param fair whether its JVM may have several in the queue of the key, one for each
 * caller
 */
public record Ticket(String key, LockMode mode, String instance, long number, boolean fair) {

	/** A letter that is no digit of a number. */
	private static final String FAIR_SEPARATOR = ":F";

	/** Names are part of every command: as short as numbers can be. */
	private static final int RADIX = Character.MAX_RADIX;

	/**
	 * Find a ticket by its name in the store.
	 * @param key what is locked
	 * @param mode how it is shared
	 * @param token what {@link #token()} returned
	 * @return the ticket
	 * @throws IllegalArgumentException if that is no name of a ticket
	 */
	public static Ticket of(String key, LockMode mode, String token) {
		int separator = token.lastIndexOf(':');
		if (separator < 0) {
			throw new IllegalArgumentException("Not a ticket: " + token);
		}
		boolean fair = token.startsWith(FAIR_SEPARATOR, separator);
		return new Ticket(key, mode, token.substring(0, separator),
				Long.parseLong(token.substring(separator + (fair ? 2 : 1)), RADIX), fair);
	}

	/**
	 * Return the name of the ticket in the store.
	 * @return instance and number
	 */
	public String token() {
		return this.instance + (this.fair ? FAIR_SEPARATOR : ":") + Long.toString(this.number, RADIX);
	}

}
