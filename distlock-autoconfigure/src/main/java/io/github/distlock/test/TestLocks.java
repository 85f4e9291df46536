package io.github.distlock.test;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * What a test does to the locks of the code under test, and what it sees of them: a bean
 * wherever {@link AutoConfigureTestLocks @AutoConfigureTestLocks} or
 * {@link DistlockTest @DistlockTest} is. Interceptor, keys, registries and their threads
 * are the real ones; only the stores are in memory, and obey. Applies to all stores of
 * the application. Thread-safe, but not for tests that run at the same time in one
 * application context. Each test begins with free keys, sound stores and empty lists.
 */
public final class TestLocks {

	private static final String BROKEN = "The lock store fails, because TestLocks.failStore() was called";

	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final ControlledBackends stores;

	/**
	 * Create the control of some stores.
	 * @param stores what is controlled
	 */
	public TestLocks(ControlledBackends stores) {
		this.stores = stores;
	}

	/**
	 * Have somebody else, in another JVM, hold a key until {@link #free(String)} or the
	 * end of the test. Calls that come later are refused at once, whatever their wait
	 * time, and calls that wait already go on waiting; only
	 * {@link java.util.concurrent.locks.Lock} views wait.
	 * @param key what is taken
	 * @throws IllegalStateException if the code under test holds it
	 */
	public void take(String key) {
		for (ControlledBackend store : this.stores.all()) {
			if (!store.foreignHolder().take(key)) {
				throw new IllegalStateException("Nobody else can take lock '" + key
						+ "': the code under test holds it. Take it before, or call lose(\"" + key + "\") first");
			}
		}
	}

	/**
	 * Have the other one give a key back: whoever waits for it enters.
	 * @param key what {@link #take(String)} has taken
	 * @throws IllegalStateException if it was not taken
	 */
	public void free(String key) {
		for (ControlledBackend store : this.stores.all()) {
			if (!store.foreignHolder().free(key)) {
				throw new IllegalStateException("Lock '" + key + "' was not taken by take(\"" + key + "\"): taken are "
						+ store.foreignHolder().taken());
			}
		}
	}

	/**
	 * Have the store forget a lock that the code under test holds, and wait until its
	 * registry knows of the loss: {@code isHeld()} is false then, and leaving the
	 * annotated method throws {@link io.github.distlock.LockLostException}. To be called
	 * while the code runs: from a stub that it calls, or from another thread.
	 * @param key what is lost
	 * @throws IllegalStateException if the code under test does not hold it
	 */
	public void lose(String key) {
		List<HeldGrant> locks = this.stores.held().stream().filter((lock) -> lock.ticket().key().equals(key)).toList();
		if (locks.isEmpty()) {
			throw new IllegalStateException("Lock '" + key + "' cannot be lost: it is not held. Held are " + held()
					+ ". Call lose from inside the locked code, such as from a stub that it calls");
		}
		this.stores.all().forEach((store) -> store.held().stream().filter(locks::contains).forEach(store::lose));
		for (HeldGrant lock : locks) {
			if (!this.stores.journal().awaitLost(lock, PATIENCE_NANOS)) {
				throw new IllegalStateException("The application has not noticed the loss of lock '" + key + "'");
			}
		}
	}

	/**
	 * Have each command to the stores fail until {@link #mendStore()} or the end of the
	 * test, as if they could not be reached. Calls end with
	 * {@link io.github.distlock.LockBackendException} at once, whatever their wait time.
	 */
	public void failStore() {
		fail(BROKEN, this.stores.all());
	}

	/**
	 * Have the stores work again.
	 */
	public void mendStore() {
		fail(null, this.stores.all());
	}

	private static void fail(@Nullable String failure, Collection<ControlledBackend> stores) {
		stores.forEach((store) -> store.fail(failure));
	}

	/**
	 * Return the locks that were acquired in this test, in order; re-entries are none.
	 * @return the acquisitions, to be examined as a list
	 */
	public List<LockAcquisition> acquired() {
		return this.stores.journal().acquired();
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
		return this.stores.journal().refused();
	}

	/**
	 * Return the keys that the code under test holds now, sorted.
	 * @return the keys, empty if everything was released
	 */
	public List<String> held() {
		return this.stores.held().stream().map((lock) -> lock.ticket().key()).sorted().toList();
	}

	/**
	 * Begin anew: locks that are still held are lost, taken keys are free, the stores
	 * work, the lists are empty. Called before and after each test. Only the thread that
	 * has never closed a lock remembers it, and cannot enter its key again.
	 */
	public void reset() {
		reset(this.stores.all());
	}

	/** Without locks there is nothing to reset, and nothing to complain of either. */
	void resetIfUsed() {
		reset(this.stores.any());
	}

	private void reset(Collection<ControlledBackend> all) {
		fail(null, all);
		for (ControlledBackend store : all) {
			store.held().forEach(store::lose);
			store.foreignHolder().taken().forEach(store.foreignHolder()::free);
		}
		this.stores.journal().clear();
	}

}
