package io.github.distlock.waiting;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.testing.NoSignals;
import org.jspecify.annotations.Nullable;

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

	@Override
	public void asked(Ticket held, long grantToken, @Nullable Ticket requester) {
		this.acquirer.releases().asked(held, requester);
	}

	@Override
	public void refused(Ticket requester) {
		this.acquirer.releases().refused(requester);
	}

}
