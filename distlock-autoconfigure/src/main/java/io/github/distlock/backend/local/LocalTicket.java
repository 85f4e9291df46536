package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.function.Consumer;

import io.github.distlock.backend.Ticket;

/**
 * Who asks for a lock.
 *
 * @param ticket the ticket
 * @param lease what its lease shall be
 * @param tokensPerGrant how many fencing tokens a grant covers
 * @param granted called when the store grants the lock to the waiting ticket
 */
record LocalTicket(Ticket ticket, Duration lease, int tokensPerGrant, Consumer<LocalGrant> granted) {
}
