package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * The store with a client of its own, as in a JVM of its own: closing the store ends the
 * session.
 */
final class OwningBackend implements LockBackend {

	private final CuratorFramework client;

	private final ZooKeeperLockBackend backend;

	OwningBackend(CuratorFramework client, ZooKeeperBackendSettings settings, TimeSource clock) {
		this.client = client;
		this.backend = new ZooKeeperLockBackend(client, settings, clock);
	}

	@Override
	public LockStore open(StoreContext context) {
		this.client.start();
		return new OwningStore(this.backend.open(context));
	}

	@Override
	public BackendDescription description() {
		return this.backend.description();
	}

	@Override
	public void validateKey(String key) {
		this.backend.validateKey(key);
	}

	/** The open store. */
	private final class OwningStore implements LockStore {

		private final LockStore store;

		OwningStore(LockStore store) {
			this.store = store;
		}

		@Override
		public BackendDescription description() {
			return this.store.description();
		}

		@Override
		public void close() {
			this.store.close();
			OwningBackend.this.client.close();
		}

		@Override
		public void verify() {
			this.store.verify();
		}

		@Override
		public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
			return this.store.attempt(ticket, lease, queue);
		}

		@Override
		public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
			return this.store.release(ticket, lastToken, next);
		}

		@Override
		public void cancel(Ticket ticket) {
			this.store.cancel(ticket);
		}

		@Override
		public List<RenewalResult> renew(List<Renewal> renewals) {
			return this.store.renew(renewals);
		}

		@Override
		public @Nullable StoreInspection inspection() {
			return this.store.inspection();
		}

	}

}
