package io.github.distlock.contract;

import java.util.function.BooleanSupplier;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * Signals to a JVM of a test, which receives nothing after a crash.
 */
final class CrashableSignals implements LockSignals {

	private final LockSignals signals;

	private final BooleanSupplier crashed;

	CrashableSignals(LockSignals signals, BooleanSupplier crashed) {
		this.signals = signals;
		this.crashed = crashed;
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		if (!this.crashed.getAsBoolean()) {
			this.signals.granted(ticket, grant);
		}
	}

	@Override
	public void retry(Ticket ticket) {
		if (!this.crashed.getAsBoolean()) {
			this.signals.retry(ticket);
		}
	}

	@Override
	public void retryAll() {
		if (!this.crashed.getAsBoolean()) {
			this.signals.retryAll();
		}
	}

	@Override
	public void renewNow(Ticket ticket) {
		if (!this.crashed.getAsBoolean()) {
			this.signals.renewNow(ticket);
		}
	}

	@Override
	public void asked(Ticket held, long grantToken, @Nullable Ticket requester) {
		if (!this.crashed.getAsBoolean()) {
			this.signals.asked(held, grantToken, requester);
		}
	}

	@Override
	public void refused(Ticket requester) {
		if (!this.crashed.getAsBoolean()) {
			this.signals.refused(requester);
		}
	}

	@Override
	public void requestsMayBeLost() {
		if (!this.crashed.getAsBoolean()) {
			this.signals.requestsMayBeLost();
		}
	}

	@Override
	public void ended(Ticket ticket, long grantToken) {
		if (!this.crashed.getAsBoolean()) {
			this.signals.ended(ticket, grantToken);
		}
	}

}
