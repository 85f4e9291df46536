package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Releases or cancels, in the background, tickets in the store that belong to no key
 * queue. What fails is repeated, each time after the time that a command may take; in the
 * end the lease ends it. Thread-safe.
 */
final class OrphanedTickets {

	private static final Log logger = LogFactory.getLog(OrphanedTickets.class);

	/** Enough for an outage of ten command time-outs. */
	private static final int MAX_SENDS = 10;

	private final LockStore store;

	private final Duration delay;

	private final TaskRunner tasks;

	OrphanedTickets(LockStore store, Duration delay, TaskRunner tasks) {
		this.store = store;
		this.delay = delay;
		this.tasks = tasks;
	}

	/** Release a ticket that was granted the lock. */
	void release(Ticket ticket, long token) {
		send(() -> this.store.release(ticket, token, null), MAX_SENDS);
	}

	/** Cancel a ticket again, when no copy of its attempt is on its way any more. */
	void cancelLater(Ticket ticket) {
		this.tasks.schedule(() -> send(() -> this.store.cancel(ticket), MAX_SENDS), this.delay.toNanos());
	}

	private void send(Supplier<CompletionStage<?>> verb, int sends) {
		// Composed, since a verb may also throw.
		this.tasks.execute(() -> CompletableFuture.completedFuture(null)
			.thenCompose((nothing) -> verb.get())
			.whenComplete((result, failure) -> {
				if (failure != null) {
					logger.debug("A ticket without a caller could not be released: it ends with its lease", failure);
					if (sends > 1) {
						this.tasks.schedule(() -> send(verb, sends - 1), this.delay.toNanos());
					}
				}
			}));
	}

}
