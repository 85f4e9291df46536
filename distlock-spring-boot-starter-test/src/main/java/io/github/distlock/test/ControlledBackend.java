package io.github.distlock.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.contract.ForwardingBackend;
import org.jspecify.annotations.Nullable;

/**
 * Backend in memory that replaces a real one. The test decides when another JVM takes its
 * locks, when its leases are lost and when it fails. Thread-safe.
 */
final class ControlledBackend extends ForwardingBackend {

	private final String name;

	/** Another JVM with the same locks. */
	private final ForeignHolder foreignHolder;

	/** Message of the exception for every command; {@code null} if commands succeed. */
	private volatile @Nullable String failure;

	private volatile @Nullable ControlledStore open;

	ControlledBackend(String name, int tokensPerGrant, LocalStore store) {
		super(new LocalLockBackend(store, tokensPerGrant, TimeSource.SYSTEM));
		this.name = name;
		this.foreignHolder = new ForeignHolder(store);
	}

	ForeignHolder foreignHolder() {
		return this.foreignHolder;
	}

	void fail(@Nullable String failure) {
		this.failure = failure;
	}

	boolean isFailing() {
		return this.failure != null;
	}

	/**
	 * Forget a holder, if it has a lock here, and request a renewal, which finds the
	 * loss. The registry is not changed directly: it learns of the loss as from any
	 * store.
	 */
	void lose(Ticket holder) {
		ControlledStore current = this.open;
		if (current != null) {
			current.lose(holder);
		}
	}

	@Override
	public BackendDescription description() {
		BackendDescription real = super.description();
		return new BackendDescription(this.name, real.modes(), real.fair(), real.expires(), real.tokensPerGrant(),
				real.commandTimeout(), real.batchSize(), real.permits());
	}

	@Override
	public LockStore open(StoreContext context) {
		ControlledStore opened = new ControlledStore(super.open(context), context.signals());
		this.open = opened;
		return opened;
	}

	private void requireWorking() {
		String message = this.failure;
		if (message != null) {
			throw new LockBackendException(message);
		}
	}

	/** The open store: that of the application, which fails when a test says so. */
	private final class ControlledStore extends ForwardingStore {

		private final LockSignals signals;

		ControlledStore(LockStore local, LockSignals signals) {
			super(local);
			this.signals = signals;
		}

		void lose(Ticket ticket) {
			super.cancel(ticket);
			this.signals.renewNow(List.of(ticket));
		}

		@Override
		public void close() {
			ControlledBackend.this.open = null;
			super.close();
		}

		@Override
		public void verify() {
			requireWorking();
			super.verify();
		}

		@Override
		public void ping() {
			verify();
		}

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			requireWorking();
			return super.attempt(ticket, lease, queue);
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			requireWorking();
			return super.release(ticket, lastToken, next);
		}

		@Override
		public CompletionStage<?> cancel(Ticket ticket) {
			requireWorking();
			return super.cancel(ticket);
		}

		@Override
		public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
			requireWorking();
			return super.renew(renewals);
		}

	}

}
