package io.github.distlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * A backend that passes everything on to a real one. A test extends it, opens a
 * {@link ForwardingStore} of its own, and overrides only what it changes.
 */
public abstract class ForwardingBackend implements LockBackend {

	private final LockBackend real;

	/**
	 * Wrap a backend.
	 * @param real the backend
	 */
	protected ForwardingBackend(LockBackend real) {
		this.real = real;
	}

	@Override
	public BackendDescription description() {
		return this.real.description();
	}

	@Override
	public void validateLease(String key, Duration lease) {
		this.real.validateLease(key, lease);
	}

	@Override
	public LockStore open(StoreContext context) {
		return this.real.open(context);
	}

	/**
	 * An open store that passes all verbs on to a real one.
	 */
	public abstract static class ForwardingStore implements LockStore {

		private final LockStore real;

		/**
		 * Wrap an open store.
		 * @param real the store
		 */
		protected ForwardingStore(LockStore real) {
			this.real = real;
		}

		@Override
		public void verify() {
			this.real.verify();
		}

		@Override
		public boolean blocks() {
			return this.real.blocks();
		}

		@Override
		public boolean keepsOrder() {
			return this.real.keepsOrder();
		}

		@Override
		public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
			return this.real.attempt(ticket, lease, queue);
		}

		@Override
		public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
			return this.real.release(ticket, lastToken, next);
		}

		@Override
		public CompletionStage<?> cancel(Ticket ticket) {
			return this.real.cancel(ticket);
		}

		@Override
		public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
			return this.real.renew(renewals);
		}

		@Override
		public String location() {
			return this.real.location();
		}

		@Override
		public @Nullable String channel() {
			return this.real.channel();
		}

		@Override
		public void ping() {
			this.real.ping();
		}

		@Override
		public @Nullable StoreInspection inspection() {
			return this.real.inspection();
		}

		@Override
		public void close() {
			this.real.close();
		}

	}

}
