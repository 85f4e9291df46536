package io.github.distlock.engine;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.testing.NoSignals;

/**
 * Passes the signals of the store to the key table.
 */
final class KeyTableSignals extends NoSignals {

	/** Set before anything waits. */
	volatile KeyTable keys;

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.keys.granted(ticket, grant);
	}

	@Override
	public void retry(Ticket ticket) {
		this.keys.retry(ticket);
	}

	@Override
	public void retryAll() {
		this.keys.retryAll();
	}

}
