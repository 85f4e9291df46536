package io.github.distlock.test;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.autoconfigure.BackendSubstitute;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;

/**
 * All backends of one application context that a test controls through {@link TestLocks}.
 */
final class ControlledBackends implements BackendSubstitute {

	private final Map<String, ControlledBackend> backends = new ConcurrentSkipListMap<>();

	private static final long LOSS_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final List<BackendLockRegistry> registries = new CopyOnWriteArrayList<>();

	private final LockEventRecorder journal = new LockEventRecorder(this::mode);

	@Override
	public LockBackend backend(String name, int tokensPerGrant) {
		return this.backends.computeIfAbsent(name,
				(id) -> new ControlledBackend(id, tokensPerGrant, new LocalStore(TimeSource.SYSTEM)));
	}

	/**
	 * Add a registry of the application.
	 * @param registry the registry
	 */
	void add(BackendLockRegistry registry) {
		this.registries.add(registry);
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

	/** Return the tickets that hold locks of the application. */
	List<Ticket> held() {
		return snapshots().flatMap((snapshot) -> snapshot.keys().stream())
			.flatMap((key) -> Stream.ofNullable(key.holder()))
			.toList();
	}

	private Stream<RegistrySnapshot> snapshots() {
		return this.registries.stream()
			.filter((registry) -> this.backends.containsKey(registry.description().name()) && registry.isRunning())
			.map(BackendLockRegistry::snapshot);
	}

	/** Let the stores forget holders, and wait until the application has noticed it. */
	void lose(List<Ticket> holders) {
		holders.forEach((holder) -> this.backends.values().forEach((backend) -> backend.lose(holder)));
		long end = System.nanoTime() + LOSS_TIMEOUT_NANOS;
		while (!Collections.disjoint(held(), holders)) {
			if (System.nanoTime() - end >= 0 || Thread.currentThread().isInterrupted()) {
				throw new IllegalStateException("The application has not noticed the loss of locks " + holders);
			}
			LockSupport.parkNanos(POLL_NANOS);
		}
	}

	LockEventRecorder journal() {
		return this.journal;
	}

	/** Called while the lock is held. */
	private LockMode mode(LockListener.Attempted event) {
		return snapshots().flatMap((snapshot) -> snapshot.held().stream())
			.filter((lock) -> lock.key().equals(event.key()) && lock.fencingToken() == event.fencingToken())
			.map(HeldLockSnapshot::mode)
			.findFirst()
			.orElse(LockMode.EXCLUSIVE);
	}

}
