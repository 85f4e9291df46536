package io.github.distlock.backend;

/**
 * The grant of a lock to a ticket.
 *
 * @param firstToken the fencing token of the first holder
 * @param lastToken the last fencing token of the grant
 * @param validity how long the grant is valid unless it is renewed. It is shorter than
 * the requested lease if the store does not know yet that the grant was received; a
 * renewal extends it
 */
public record Grant(long firstToken, long lastToken, Validity validity) implements AttemptResult {
}
