package io.github.distlock.contract;

import java.time.Duration;

import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;

/**
 * A store for the contract: a running real server and some facts about it. The abilities
 * of the store are in its {@link io.github.distlock.backend.BackendDescription}.
 */
public interface StoreUnderTest extends AutoCloseable {

	/**
	 * Create a backend as another JVM would have it, for the one server: the store that
	 * it opens has connections and sessions of its own. The contract opens and closes it.
	 * @param clock the clocks of that JVM; some are wrong by hours
	 * @return the backend
	 */
	LockBackend newBackend(TimeSource clock);

	/**
	 * End what a backend used beside its store, such as a pool of connections. Called
	 * after the test, when the store that the backend opened is closed.
	 * @param backend what {@link #newBackend} returned
	 */
	default void ended(LockBackend backend) {
	}

	/**
	 * Lose all data, as a restart without persistence does. Called while no ticket holds
	 * or waits, and while some do in tests of lost data.
	 */
	void clear();

	/**
	 * Count the items of locks in the store.
	 * @return keys, rows or nodes; zero when nothing remains
	 */
	long items();

	/**
	 * Return how long the store may remember a lock that is neither held nor waited for.
	 * @return how long {@link #items()} may stay above zero
	 */
	Duration memory();

	/**
	 * Return how long a test waits for an eventual result.
	 * @return longer for a slow store
	 */
	default Duration patience() {
		return Duration.ofSeconds(20);
	}

	/**
	 * Return how long it takes until commands of callers without a lock have arrived at
	 * all servers, and left nothing there.
	 * @return zero unless several servers decide
	 */
	default Duration settling() {
		return Duration.ZERO;
	}

	/**
	 * Return the lease for tests in which a lease expires.
	 * @return longer for a slow store, at least 100 ms
	 */
	default Duration shortLease() {
		return Duration.ofMillis(400);
	}

	/**
	 * Return whether tokens still increase after {@link #clear()}, as they do if they
	 * come from a clock.
	 * @return whether they survive the loss of all data
	 */
	default boolean tokensSurviveLoss() {
		return true;
	}

	/**
	 * Return whether a lock is a transaction: it has no token, no caller has one without
	 * a thread, and a caller waits for other JVMs in the database, where no interrupt
	 * ends its wait.
	 * @return whether the tests of these abilities are skipped
	 */
	default boolean locksAreTransactions() {
		return false;
	}

	/**
	 * Return the locks of one JVM as its callers use them.
	 * @param registry the registry on a backend of the store
	 * @return the same, unless there is more between it and the callers
	 */
	default LockRegistry callers(LockRegistry registry) {
		return registry;
	}

	/**
	 * Count the callers of one JVM that wait.
	 * @param callers what {@link #callers} returned
	 * @param waiting the number of those that wait for a lock of the registry
	 * @param held the number of its locks that are held
	 * @return the number of callers that wait, here or in the store
	 */
	default int waiting(LockRegistry callers, int waiting, int held) {
		return waiting;
	}

	/**
	 * Stop the server.
	 */
	@Override
	void close();

}
