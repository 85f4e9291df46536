package io.github.distlock.test;

import java.util.Collection;
import java.util.List;

import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * Controls and observes the locks of the code under test. A bean in tests with
 * {@link AutoConfigureTestLocks @AutoConfigureTestLocks} or
 * {@link DistlockTest @DistlockTest}.
 * <p>
 * Interceptor, keys, registries and their threads are the real ones; only the stores are
 * replaced, by stores in memory. All methods apply to all stores of the application. Each
 * test starts with free keys, working stores and empty lists. Thread-safe, but not
 * suitable for tests that run concurrently in one application context.
 */
public final class TestLocks {

	private static final String STORE_FAILED = "The lock store fails because TestLocks.failStore() was called";

	private final ControlledBackends backends;

	TestLocks(ControlledBackends backends) {
		this.backends = backends;
	}

	/**
	 * Let another JVM hold a key until {@link #free(String)} or the end of the test. New
	 * calls for the key fail at once, whatever their wait time. Calls that already wait
	 * continue to wait, and {@link java.util.concurrent.locks.Lock} views always wait.
	 * @param key the key to take
	 * @throws IllegalStateException if the code under test holds it
	 */
	public void take(String key) {
		for (ControlledBackend backend : this.backends.all()) {
			if (!backend.foreignHolder().take(key)) {
				throw new IllegalStateException("Another JVM cannot take lock '" + key
						+ "': the code under test holds it. Take it before, or call lose(\"" + key + "\") first");
			}
		}
	}

	/**
	 * Free a key that was taken: a caller that waits for it enters.
	 * @param key the key that {@link #take(String)} has taken
	 * @throws IllegalStateException if it was not taken
	 */
	public void free(String key) {
		for (ControlledBackend backend : this.backends.all()) {
			if (!backend.foreignHolder().free(key)) {
				throw new IllegalStateException("Lock '" + key + "' was not taken by take(\"" + key
						+ "\"). Taken keys: " + backend.foreignHolder().taken());
			}
		}
	}

	/**
	 * Let the store forget a lock that the code under test holds, and wait until its
	 * registry has noticed the loss. Then {@code isHeld()} is false, and the end of the
	 * annotated method throws {@link io.github.distlock.LockLostException}. Call this
	 * method while the code runs: from a stub that the code calls, or from another
	 * thread.
	 * @param key the key whose lock is lost
	 * @throws IllegalStateException if the code under test does not hold it
	 */
	public void lose(String key) {
		List<Ticket> holders = this.backends.held().stream().filter((holder) -> holder.key().equals(key)).toList();
		if (holders.isEmpty()) {
			throw new IllegalStateException("Lock '" + key + "' cannot be lost: it is not held. Held keys: " + held()
					+ ". Call lose from inside the locked code, such as from a stub that it calls");
		}
		this.backends.lose(holders);
	}

	/**
	 * Let every command to the stores fail until {@link #mendStore()} or the end of the
	 * test, as if the stores could not be reached. Calls end with
	 * {@link io.github.distlock.LockBackendException} at once, whatever their wait time.
	 */
	public void failStore() {
		fail(STORE_FAILED, this.backends.all());
	}

	/**
	 * Let the stores work again after {@link #failStore()}.
	 */
	public void mendStore() {
		fail(null, this.backends.all());
	}

	private static void fail(@Nullable String failure, Collection<ControlledBackend> backends) {
		backends.forEach((backend) -> backend.fail(failure));
	}

	/**
	 * Return the locks that were acquired in this test, in order. Re-entries are not
	 * included.
	 * @return the acquisitions
	 */
	public List<LockAcquisition> acquired() {
		return this.backends.journal().acquired();
	}

	/**
	 * Return the keys that were acquired in this test, in order.
	 * @return the keys of {@link #acquired()}
	 */
	public List<String> keys() {
		return acquired().stream().map(LockAcquisition::key).toList();
	}

	/**
	 * Return the calls of this test that did not get their lock, in order.
	 * @return the refusals
	 */
	public List<LockRefusal> refused() {
		return this.backends.journal().refused();
	}

	/**
	 * Return the keys that the code under test holds now, sorted.
	 * @return the keys, empty if all locks were released
	 */
	public List<String> held() {
		return this.backends.held().stream().map(Ticket::key).sorted().toList();
	}

	/**
	 * Reset everything: locks that are still held are lost, taken keys are free, the
	 * stores work, the lists are empty. Called before and after each test. A thread that
	 * has never closed a lost lock cannot enter its key again.
	 */
	public void reset() {
		reset(this.backends.all());
	}

	/** Without controlled stores there is nothing to reset, which is no error. */
	void resetIfUsed() {
		reset(this.backends.any());
	}

	private void reset(Collection<ControlledBackend> all) {
		fail(null, all);
		for (ControlledBackend backend : all) {
			backend.foreignHolder().taken().forEach(backend.foreignHolder()::free);
		}
		this.backends.lose(this.backends.held());
		this.backends.journal().clear();
	}

}
