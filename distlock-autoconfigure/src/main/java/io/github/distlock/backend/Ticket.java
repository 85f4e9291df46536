package io.github.distlock.backend;

import io.github.distlock.LockMode;

/**
 * One place in the store's queue, later the proof of ownership. Unique for ever.
 *
 * @param key what is locked, as the user wrote it
 * @param mode how it is shared
 * @param instance the JVM's part of the name: unique for ever, of letters, digits and
 * hyphens
 * @param number the ticket's number in its JVM
 */
public record Ticket(String key, LockMode mode, String instance, long number) {

	/**
	 * Return the name of the ticket in the store.
	 * @return instance and number
	 */
	public String token() {
		return this.instance + ":" + this.number;
	}

}
