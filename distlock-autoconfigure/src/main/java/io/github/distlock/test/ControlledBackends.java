package io.github.distlock.test;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.backend.LockBackend;

/**
 * The stores of one application context that a test controls through {@link TestLocks}.
 * For the auto-configuration; tests have no use for it.
 */
public final class ControlledBackends {

	private final Map<String, ControlledBackend> stores = new ConcurrentSkipListMap<>();

	private final LockEventRecorder journal = new LockEventRecorder(this::mode);

	/**
	 * Make a store.
	 * @param name whose place it takes
	 * @param tokensPerGrant how many fencing tokens one grant covers
	 * @return the store
	 */
	public LockBackend backend(String name, int tokensPerGrant) {
		return this.stores.computeIfAbsent(name, (unknown) -> new ControlledBackend(unknown, tokensPerGrant));
	}

	/**
	 * Return who must be told what happens to locks.
	 * @return the listener
	 */
	public LockListener listener() {
		return this.journal;
	}

	/**
	 * Return whether waiting for a key makes no sense: a test has it taken, or the stores
	 * fail.
	 * @param key what somebody wants to lock
	 * @return whether it cannot be had
	 */
	public boolean refuse(String key) {
		return this.stores.values()
			.stream()
			.anyMatch((store) -> store.isFailing() || store.foreignHolder().hasTaken(key));
	}

	/** Those there are, if any. */
	Collection<ControlledBackend> any() {
		return this.stores.values();
	}

	Collection<ControlledBackend> all() {
		if (this.stores.isEmpty()) {
			throw new IllegalStateException("There is no lock store that the test controls: either distlock.enabled is "
					+ "false, or the application has a LockRegistry bean of its own, which knows no store of ours");
		}
		return this.stores.values();
	}

	List<HeldGrant> held() {
		return this.stores.values().stream().flatMap((store) -> store.held().stream()).toList();
	}

	LockEventRecorder journal() {
		return this.journal;
	}

	/** Told while the lock is held. */
	private LockMode mode(LockListener.Attempted event) {
		return held().stream()
			.filter((lock) -> lock.ticket().key().equals(event.key()) && lock.covers(event.fencingToken()))
			.map((lock) -> lock.ticket().mode())
			.findFirst()
			.orElse(LockMode.EXCLUSIVE);
	}

}
