package io.github.distlock.test;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.autoconfigure.BackendSubstitute;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalStore;

/**
 * All backends of one application context that a test controls through {@link TestLocks}.
 */
final class ControlledBackends implements BackendSubstitute {

	private final Map<String, ControlledBackend> backends = new ConcurrentSkipListMap<>();

	private final LockEventRecorder journal = new LockEventRecorder(this::mode);

	@Override
	public LockBackend backend(String name, int tokensPerGrant) {
		return this.backends.computeIfAbsent(name,
				(id) -> new ControlledBackend(id, tokensPerGrant, new LocalStore(TimeSource.SYSTEM)));
	}

	/**
	 * Return the listener that records the events of locks.
	 * @return the listener
	 */
	LockListener listener() {
		return this.journal;
	}

	/**
	 * Return whether waiting for a key is useless: the test has taken the key, or the
	 * stores fail.
	 * @param key the requested key
	 * @return whether the key cannot be acquired
	 */
	boolean refuse(String key) {
		return this.backends.values()
			.stream()
			.anyMatch((backend) -> backend.isFailing() || backend.foreignHolder().hasTaken(key));
	}

	/** Return the backends, if there are any. */
	Collection<ControlledBackend> any() {
		return this.backends.values();
	}

	Collection<ControlledBackend> all() {
		if (this.backends.isEmpty()) {
			throw new IllegalStateException("There is no lock store that the test controls: either distlock.enabled is "
					+ "false, or the application has a LockRegistry bean of its own");
		}
		return this.backends.values();
	}

	List<HeldGrant> held() {
		return this.backends.values().stream().flatMap((backend) -> backend.held().stream()).toList();
	}

	LockEventRecorder journal() {
		return this.journal;
	}

	/** Called while the lock is held. */
	private LockMode mode(LockListener.Attempted event) {
		return held().stream()
			.filter((lock) -> lock.ticket().key().equals(event.key()) && lock.covers(event.fencingToken()))
			.map((lock) -> lock.ticket().mode())
			.findFirst()
			.orElse(LockMode.EXCLUSIVE);
	}

}
