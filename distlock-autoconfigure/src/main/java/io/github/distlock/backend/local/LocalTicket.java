package io.github.distlock.backend.local;

import java.time.Duration;

import io.github.distlock.backend.Ticket;

/**
 * Who asks for a lock.
 *
 * @param ticket the ticket
 * @param lease what its lease shall be
 * @param backend who is told of a grant
 */
record LocalTicket(Ticket ticket, Duration lease, LocalLockBackend backend) {
}
