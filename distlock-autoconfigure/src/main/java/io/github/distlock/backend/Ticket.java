package io.github.distlock.backend;

import io.github.distlock.LockMode;

/**
 * One place in the store's queue, later the proof of ownership. Unique for ever. To a
 * store {@code EXCLUSIVE} and {@code WRITE} are the same.
 *
 * @param key what is locked, as the user wrote it
 * @param mode how it is shared
 * @param instance the JVM's part of the name: unique for ever, of letters, digits,
 * hyphens and underscores
 * @param number the ticket's number in its JVM
 * @param fair whether its JVM may have several in the queue of the key, one for each
 * caller; true for each {@code READ} ticket, since readers hold at the same time
 */
public record Ticket(String key, LockMode mode, String instance, long number, boolean fair) {

	/** Capital letters before the number: digits of the number are never capitals. */
	private static final char FAIR = 'F';

	private static final char READ = 'R';

	private static final char WRITE = 'W';

	/** Names are part of every command: as short as numbers can be. */
	private static final int RADIX = Character.MAX_RADIX;

	/**
	 * Find a ticket by its name in the store.
	 * @param key what is locked
	 * @param token what {@link #token()} returned
	 * @return the ticket
	 * @throws IllegalArgumentException if that is no name of a ticket
	 */
	public static Ticket of(String key, String token) {
		int separator = token.lastIndexOf(':');
		if (separator < 0) {
			throw new IllegalArgumentException("Not a ticket: " + token);
		}
		int next = separator + 1;
		boolean fair = token.startsWith(String.valueOf(FAIR), next);
		next += fair ? 1 : 0;
		LockMode mode = LockMode.EXCLUSIVE;
		if (next < token.length() && Character.isUpperCase(token.charAt(next))) {
			mode = mode(token, token.charAt(next));
			next++;
		}
		return new Ticket(key, mode, token.substring(0, separator), Long.parseLong(token.substring(next), RADIX), fair);
	}

	private static LockMode mode(String token, char letter) {
		return switch (letter) {
			case READ -> LockMode.READ;
			case WRITE -> LockMode.WRITE;
			default -> throw new IllegalArgumentException("Not a ticket: " + token);
		};
	}

	/**
	 * Return the name of the ticket in the store: instance, colon, the letter F if it is
	 * fair, the letter R or W if its mode is READ or WRITE, and the number.
	 * @return what {@link #of(String, String)} understands
	 */
	public String token() {
		String letters = switch (this.mode) {
			case EXCLUSIVE -> this.fair ? ":F" : ":";
			case READ -> this.fair ? ":FR" : ":R";
			case WRITE -> this.fair ? ":FW" : ":W";
		};
		return this.instance + letters + Long.toString(this.number, RADIX);
	}

	/**
	 * Return whether a name is that of a reader's ticket.
	 * @param token what {@link #token()} returned
	 * @return whether others may hold the lock at the same time
	 */
	public static boolean isReader(String token) {
		int letters = token.lastIndexOf(':') + 1;
		return token.startsWith(":R", letters - 1) || token.startsWith(":FR", letters - 1);
	}

	/**
	 * Return whether others may hold the lock at the same time.
	 * @return whether the mode is {@code READ}
	 */
	public boolean isReader() {
		return this.mode == LockMode.READ;
	}

}
