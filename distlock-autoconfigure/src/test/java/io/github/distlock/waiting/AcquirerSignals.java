package io.github.distlock.waiting;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.testing.NoSignals;

/**
 * Passes the signals of the store to the acquirer.
 */
final class AcquirerSignals extends NoSignals {

	/** Set before anything waits. */
	volatile LockAcquirer acquirer;

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.acquirer.granted(ticket, grant);
	}

	@Override
	public void retry(Ticket ticket) {
		this.acquirer.retry(ticket);
	}

	@Override
	public void retryAll() {
		this.acquirer.retryAll();
	}

}
