package io.github.distlock.backend.local;

import java.util.List;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.local.LocalLock.LocalGrant;

/**
 * What operators need of a {@link LocalStore}, for one of its users. Thread-safe.
 */
final class LocalAdministration implements StoreAdministration {

	private final LocalStore store;

	private final LockInstance self;

	private final Runnable requireOpen;

	LocalAdministration(LocalStore store, LockInstance self, Runnable requireOpen) {
		this.store = store;
		this.self = self;
		this.requireOpen = requireOpen;
	}

	@Override
	public String location() {
		return "the memory of this JVM";
	}

	@Override
	public void ping() {
		this.requireOpen.run();
	}

	@Override
	public void announce() {
		this.requireOpen.run();
		if (this.self.isResolved()) {
			this.store.entries().announce(this.self);
		}
	}

	@Override
	public void withdraw() {
		this.requireOpen.run();
		this.store.entries().withdraw(this.self.id());
	}

	@Override
	public List<InstanceEntry> instances() {
		this.requireOpen.run();
		return this.store.entries().list();
	}

	@Override
	public StoredLock inspect(String key) {
		this.requireOpen.run();
		return this.store.inspect(key);
	}

	@Override
	public EndResult end(String key, long grantToken) {
		this.requireOpen.run();
		LocalEnd end = this.store.end(key, grantToken);
		notifyTickets(end);
		return end.result();
	}

	@Override
	public SweepResult endAll(String instance) {
		this.requireOpen.run();
		if (this.store.entries().isAlive(instance)) {
			return SweepResult.ALIVE;
		}
		LocalEnd end = this.store.endAll(instance);
		notifyTickets(end);
		return new SweepResult(false, end.ended().size(), true);
	}

	/** The former holders first, so that they learn of the end before a renewal fails. */
	private static void notifyTickets(LocalEnd end) {
		end.ended().forEach(LocalGrant::notifyFormerHolder);
		LocalLockStore.notifyHolders(end.toNotify());
	}

}
