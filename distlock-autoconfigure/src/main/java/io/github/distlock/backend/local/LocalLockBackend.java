package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.EnumSet;

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
		this.store = store;
		this.description = new BackendDescription(NAME, EnumSet.allOf(LockMode.class), true, true, tokensPerGrant,
				Duration.ZERO, BATCH_SIZE, true);
		this.clock = clock;
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public LockStore open(StoreContext context) {
		return new LocalLockStore(this.store, this.description.tokensPerGrant(), this.clock, context);
	}

}
