package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tickets in the store that no queue knows: they are released or cancelled in the
 * background. Thread-safe.
 */
final class StrayTickets {

	private static final Log logger = LogFactory.getLog(StrayTickets.class);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final int SENDS = 3;

	private final LockStore store;

	private final Duration delay;

	private final Tasks tasks;

	StrayTickets(LockStore store, Tasks tasks) {
		this.store = store;
		this.delay = store.description().strayDelay();
		this.tasks = tasks;
	}

	/** Release a ticket that was granted the lock. */
	void release(Ticket ticket, long token) {
		background(() -> this.store.release(ticket, token, null), SENDS);
	}

	/** Cancel a ticket once more, when no copy of its attempt is on its way any more. */
	void cancelLater(Ticket ticket) {
		this.tasks.laterSurely(() -> background(() -> this.store.cancel(ticket), SENDS), this.delay.toNanos());
	}

	private void background(Runnable command, int sends) {
		this.tasks.executeSurely(() -> {
			try {
				command.run();
			}
			catch (RuntimeException ex) {
				logger.debug("A ticket without a caller could not be released: it ends with its lease", ex);
			}
			catch (Throwable ex) {
				if (sends > 1) {
					this.tasks.laterSurely(() -> background(command, sends - 1), RETRY_NANOS);
				}
				logger.error("A ticket without a caller could not be released", ex);
			}
		});
	}

}
