package io.github.distlock.test;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.contract.Answers;

/**
 * Holds locks on behalf of a test. To the code under test it looks like another JVM.
 */
final class ForeignHolder {

	private static final String INSTANCE = "another-jvm";

	/** Longer than any test runs. */
	private static final Duration LEASE = LockRequest.MAXIMUM_LEASE;

	private final LockStore store;

	private final Map<String, Ticket> taken = new ConcurrentHashMap<>();

	ForeignHolder(LocalStore store) {
		this.store = new LocalLockBackend(store, 1, TimeSource.SYSTEM)
			.open(new StoreContext(LockInstance.of(INSTANCE), noSignals()));
	}

	/** Its tickets are never queued or renewed. */
	private static LockSignals noSignals() {
		return (LockSignals) Proxy.newProxyInstance(LockSignals.class.getClassLoader(),
				new Class<?>[] { LockSignals.class }, (proxy, signal, arguments) -> null);
	}

	/**
	 * Take the exclusive lock of a key.
	 * @return whether it was taken; {@code false} if the application holds it
	 */
	boolean take(String key) {
		Ticket ticket = this.taken.computeIfAbsent(key,
				(free) -> new Ticket(free, LockMode.EXCLUSIVE, INSTANCE, System.nanoTime(), false));
		boolean granted = Answers.of(this.store.attempt(ticket, LEASE, false)) instanceof Grant;
		if (!granted) {
			this.taken.remove(key);
		}
		return granted;
	}

	/**
	 * Free a key. The caller that has waited longest gets it.
	 * @return whether the key was taken
	 */
	boolean free(String key) {
		Ticket ticket = this.taken.remove(key);
		if (ticket != null) {
			Answers.of(this.store.cancel(ticket));
		}
		return ticket != null;
	}

	boolean hasTaken(String key) {
		return this.taken.containsKey(key);
	}

	Set<String> taken() {
		return Set.copyOf(this.taken.keySet());
	}

}
