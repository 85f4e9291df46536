package io.github.distlock.backend;

import io.github.distlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * One place in the queue of a lock, later the proof of ownership. It is globally unique.
 * For a store {@code EXCLUSIVE} and {@code WRITE} are the same.
 *
 * @param key the key of the lock, as the user wrote it
 * @param mode the mode of the lock
 * @param instance the part of the name that identifies the JVM, or one registry of it:
 * globally unique, of letters, digits and the characters {@code @:._-}, 90 at most. No
 * colon is followed by a capital letter
 * @param number the number of the ticket in its JVM
 * @param fair whether its JVM may have several tickets in the queue of the key, one for
 * each caller; true for each {@code READ} ticket, since readers hold at the same time
 * @param permits how many readers may hold the lock at once, this one included, when this
 * one enters; 0 without a limit. Only a fair {@code READ} ticket has one
 */
public record Ticket(String key, LockMode mode, String instance, long number, boolean fair, int permits) {

	/** The largest radix: names are part of every command and have to be short. */
	private static final int RADIX = Character.MAX_RADIX;

	/** What precedes the number of permits. No other number begins with a zero. */
	private static final String PERMITS = ":F0";

	/** What follows the number of permits. */
	private static final char PERMITS_END = 'p';

	/**
	 * Create a ticket without a limit of readers.
	 * @param key the key of the lock
	 * @param mode the mode of the lock
	 * @param instance the part of the name that identifies the JVM
	 * @param number the number of the ticket in its JVM
	 * @param fair whether its JVM may have several tickets in the queue of the key
	 */
	public Ticket(String key, LockMode mode, String instance, long number, boolean fair) {
		this(key, mode, instance, number, fair, 0);
	}

	/**
	 * Return the ticket with a given name.
	 * @param key the key of the lock
	 * @param token the name of the ticket in the store, see {@link #token()}
	 * @return the ticket
	 * @throws IllegalArgumentException if that is not the name of a ticket
	 */
	public static Ticket of(String key, String token) {
		int letters = token.lastIndexOf(':') + 1;
		int end = token.startsWith(PERMITS, letters - 1) ? token.indexOf(PERMITS_END, letters) : -1;
		if (end > 0) {
			return new Ticket(key, LockMode.READ, token.substring(0, letters - 1),
					Long.parseLong(token.substring(end + 1), RADIX), true,
					Integer.parseInt(token.substring(letters + PERMITS.length() - 1, end)));
		}
		int number = letters;
		// Capital letters precede the number, which is written in lower case.
		while (number < token.length() && Character.isUpperCase(token.charAt(number))) {
			number++;
		}
		LockMode mode = switch (token.substring(letters, number)) {
			case "", "F" -> LockMode.EXCLUSIVE;
			case "R", "FR" -> LockMode.READ;
			case "W", "FW" -> LockMode.WRITE;
			default -> null;
		};
		if (letters == 0 || mode == null) {
			throw new IllegalArgumentException("Not a ticket: " + token);
		}
		return new Ticket(key, mode, token.substring(0, letters - 1), Long.parseLong(token.substring(number), RADIX),
				token.startsWith("F", letters));
	}

	/**
	 * Return the name of the ticket in the store: instance, colon, the letter F if it is
	 * fair, the letter R or W if its mode is READ or WRITE, and the number. With permits:
	 * instance, colon, F0, the number of permits, the letter p, and the number.
	 * @return the name, see {@link #of(String, String)}
	 */
	public String token() {
		if (this.permits > 0) {
			return this.instance + PERMITS + this.permits + PERMITS_END + Long.toString(this.number, RADIX);
		}
		String letters = switch (this.mode) {
			case EXCLUSIVE -> this.fair ? ":F" : ":";
			case READ -> this.fair ? ":FR" : ":R";
			case WRITE -> this.fair ? ":FW" : ":W";
		};
		return this.instance.concat(letters).concat(Long.toString(this.number, RADIX));
	}

	/**
	 * Return whether this is the ticket of a reader.
	 * @return whether the mode is {@code READ}, so that other readers may hold the lock
	 * at the same time
	 */
	public boolean isReader() {
		return this.mode == LockMode.READ;
	}

	/**
	 * Return whether this ticket may hold the lock beside readers that hold it.
	 * @param readers how many they are
	 * @return whether it is a reader, and its permits are more than these
	 */
	public boolean mayJoin(int readers) {
		return isReader() && (this.permits == 0 || readers < this.permits);
	}

	// Written out, since each attempt compares tickets: the methods that the JVM
	// generates for a record load about ninety classes when the first lock is acquired.
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof Ticket ticket && this.number == ticket.number
				&& this.fair == ticket.fair && this.mode == ticket.mode && this.permits == ticket.permits
				&& this.key.equals(ticket.key) && this.instance.equals(ticket.instance));
	}

	@Override
	public int hashCode() {
		return this.key.hashCode() + 31 * Long.hashCode(this.number);
	}

}
