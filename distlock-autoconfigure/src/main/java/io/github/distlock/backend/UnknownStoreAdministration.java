package io.github.distlock.backend;

import java.util.List;

/**
 * The administration of a store that offers none.
 *
 * @param store the name of the store
 */
record UnknownStoreAdministration(String store) implements StoreAdministration {

	@Override
	public String location() {
		return this.store;
	}

	@Override
	public void ping() {
	}

	@Override
	public void announce() {
	}

	@Override
	public void withdraw() {
	}

	@Override
	public List<InstanceEntry> instances() {
		return List.of();
	}

	@Override
	public StoredLock inspect(String key) {
		throw unsupported();
	}

	@Override
	public EndResult end(String key, long grantToken) {
		throw unsupported();
	}

	@Override
	public SweepResult endAll(String instance) {
		throw unsupported();
	}

	private UnsupportedStoreOperationException unsupported() {
		return new UnsupportedStoreOperationException("The store '" + this.store
				+ "' does not say what holds a lock: ask the store itself, with its own tools");
	}

}
