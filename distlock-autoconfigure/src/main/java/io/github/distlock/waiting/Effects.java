package io.github.distlock.waiting;

import java.util.List;

import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What follows from an event at a queue, to be done without the queue's lock.
 *
 * @param command what to send
 * @param woken whom to wake
 * @param stray a ticket to cancel once more, later, since a copy of its attempt may still
 * be on its way
 */
record Effects(@Nullable Command command, List<Waiter> woken, @Nullable Ticket stray) {
}
