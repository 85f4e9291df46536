package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.EnumSet;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;

/**
 * Locks in a {@link LocalStore} of this JVM: no command is sent to a server. Thread-safe.
 */
public final class LocalLockBackend implements LockBackend {

	/** The name of the backend, whose locks no other JVM shares. */
	public static final String NAME = "local";

	private static final int BATCH_SIZE = 100;

	private final LocalStore store;

	private final BackendDescription description;

	private final TimeSource clock;

	/**
	 * Create a backend.
	 * @param store the store of the locks
	 * @param tokensPerGrant the number of fencing tokens of a grant: one more than the
	 * number of hand-offs inside a registry
	 * @param clock the clock
	 */
	public LocalLockBackend(LocalStore store, int tokensPerGrant, TimeSource clock) {
		this(store, new BackendDescription(NAME, EnumSet.allOf(LockMode.class), true, true, tokensPerGrant,
				Duration.ZERO, BATCH_SIZE, true), clock);
	}

	private LocalLockBackend(LocalStore store, BackendDescription description, TimeSource clock) {
		this.store = store;
		this.description = description;
		this.clock = clock;
	}

	/**
	 * Create a backend with a store of its own, whose locks have no leases and no tokens:
	 * what excludes other JVMs is not in the memory of this one.
	 * @param name the name of the backend
	 * @param clock the clock
	 * @return the backend
	 */
	public static LocalLockBackend withoutLeases(String name, TimeSource clock) {
		return new LocalLockBackend(new LocalStore(clock), new BackendDescription(name, EnumSet.of(LockMode.EXCLUSIVE),
				false, false, 1, Duration.ZERO, BATCH_SIZE), clock);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void validateLease(String key, Duration lease) {
		if (!this.description.expires()) {
			throw new LockDefinitionException("Lock '" + key + "' was requested with a leaseTime or minHold, but a lock"
					+ " of the store '" + this.description.name() + "' has no lease: leave both out");
		}
	}

	@Override
	public LockStore open(StoreContext context) {
		return new LocalLockStore(this.store, this.description, this.clock, context);
	}

}
