package io.github.distlock.testing;

import java.util.Collection;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;

/** Signals that are ignored, except those that a subclass handles. */
public class NoSignals implements LockSignals {

	@Override
	public void granted(Ticket ticket, Grant grant) {
	}

	@Override
	public void retry(Ticket ticket) {
	}

	@Override
	public void retryAll() {
	}

	@Override
	public void renewAll() {
	}

	@Override
	public void renewNow(Collection<Ticket> tickets) {
	}

}
