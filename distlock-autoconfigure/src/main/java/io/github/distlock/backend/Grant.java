package io.github.distlock.backend;

/**
 * The lock, as it was given to a ticket.
 *
 * @param firstToken the fencing token of the first to enter
 * @param lastToken the last token that the grant covers
 * @param validity until when it counts unless it is renewed; shorter than what was asked
 * for when the store does not know yet that the grant was received: a renewal lifts it
 */
public record Grant(long firstToken, long lastToken, Validity validity) {
}
