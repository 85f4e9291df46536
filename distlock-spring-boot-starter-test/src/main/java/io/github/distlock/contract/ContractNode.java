package io.github.distlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.registry.RegistrySnapshot;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.engine.HandOffLimits;

/**
 * One of several JVMs: a registry on the store, with injected losses and recorded events.
 */
final class ContractNode implements LockListener {

	private static final Duration GRACE = Duration.ofMillis(300);

	private final ForgetfulBackend backend;

	private final StoreUnderTest store;

	private final BackendLockRegistry registry;

	private final LockRegistry callers;

	private final Queue<String> lost = new ConcurrentLinkedQueue<>();

	private final Queue<String> lostBeforeRelease = new ConcurrentLinkedQueue<>();

	ContractNode(LockBackend backend, StoreUnderTest store, Duration lease, TimeSource clock, ReleaseMode release) {
		Duration patience = store.patience();
		this.store = store;
		this.backend = new ForgetfulBackend(backend);
		this.registry = new BackendLockRegistry(
				this.backend, new RegistrySettings(patience, lease, null, new HandOffLimits(16, Duration.ofMillis(50)),
						patience, false, GRACE, null, patience, release, Integer.MAX_VALUE, false),
				List.of(this), clock);
		this.registry.start();
		this.callers = store.callers(this.registry);
	}

	LockRegistry registry() {
		return this.callers;
	}

	ForgetfulBackend backend() {
		return this.backend;
	}

	BackendDescription description() {
		return this.backend.description();
	}

	/** Acquire a lock, or fail after a time limit. */
	HeldLock acquire(String key) {
		return this.callers.acquire(LockRequest.of(key));
	}

	/** The same, in another mode. */
	HeldLock acquire(String key, LockMode mode) {
		return this.callers.acquire(LockRequest.of(key).mode(mode));
	}

	/** Whether a lock can be acquired without waiting. It is released again. */
	boolean finds(String key) {
		return finds(key, LockMode.EXCLUSIVE);
	}

	/** The same, in another mode. */
	boolean finds(String key, LockMode mode) {
		return finds(key, mode, Duration.ZERO);
	}

	/** Whether a lock that is free can be acquired. It is released again. */
	boolean takes(String key) {
		return takes(key, LockMode.EXCLUSIVE);
	}

	/** The same, in another mode. */
	boolean takes(String key, LockMode mode) {
		return finds(key, mode, this.store.settling());
	}

	private boolean finds(String key, LockMode mode, Duration waitTime) {
		return this.callers.tryAcquire(LockRequest.of(key).mode(mode).waitTime(waitTime)).map((lock) -> {
			lock.close();
			return lock;
		}).isPresent();
	}

	/** The number of waiting callers. */
	int waiting() {
		RegistrySnapshot now = this.registry.snapshot();
		return this.store.waiting(this.callers, now.waiting().size(), now.held().size());
	}

	/** How often the leases of the locks that are held have been renewed. */
	int renewed() {
		return this.registry.snapshot().held().stream().mapToInt(HeldLockSnapshot::renewals).sum();
	}

	/** The keys of locks that were found to be lost after their release. */
	List<String> lostBeforeRelease() {
		return List.copyOf(this.lostBeforeRelease);
	}

	/** The keys of lost locks. */
	List<String> lost() {
		return List.copyOf(this.lost);
	}

	/** Whether no lock is held, no caller waits, and no command is under way. */
	boolean isIdle() {
		return this.registry.snapshot().isIdle();
	}

	void stop() {
		this.registry.shutdown();
	}

	@Override
	public void onLost(Lost event) {
		(event.released() ? this.lostBeforeRelease : this.lost).add(event.key());
	}

}
