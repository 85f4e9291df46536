package io.github.distlock.backend;

/**
 * The grant of a lock to a ticket.
 *
 * @param firstToken the fencing token of the first holder
 * @param lastToken the last fencing token of the grant
 * @param validity how long the grant is valid unless it is renewed. It is shorter than
 * the requested lease if the store does not know yet that the grant was received; a
 * renewal extends it
 * @param timed whether the first token is what the clock of the server said, in
 * microseconds since 1970, after the command was sent and before it was answered; only if
 * one server has all keys, and so one clock
 */
public record Grant(long firstToken, long lastToken, Validity validity, boolean timed) implements AttemptResult {

	/**
	 * Create a grant whose first token may be of any time.
	 * @param firstToken the fencing token of the first holder
	 * @param lastToken the last fencing token of the grant
	 * @param validity how long the grant is valid unless it is renewed
	 */
	public Grant(long firstToken, long lastToken, Validity validity) {
		this(firstToken, lastToken, validity, false);
	}

}
