package io.github.distlock.contract;

import java.time.Duration;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;

/**
 * What the contract needs of a store: a running real server, and a few words about it.
 * What the store can do is not said here but in its
 * {@link io.github.distlock.backend.BackendDescription}.
 */
public interface StoreUnderTest extends AutoCloseable {

	/**
	 * Make a backend as one more JVM would have it, over the one server: the store that
	 * it opens has connections and sessions of its own. The contract opens and closes it.
	 * @param clock the clocks of that JVM; some are hours off
	 * @return the backend
	 */
	LockBackend newBackend(TimeSource clock);

	/**
	 * Lose all data, as a restart without persistence does. Called while nobody holds or
	 * waits, and in tests of lost data while somebody does.
	 */
	void clear();

	/**
	 * Count what the store remembers of locks.
	 * @return keys, rows or nodes; zero when it remembers nothing
	 */
	long items();

	/**
	 * Say how long the store may remember a lock that nobody holds or waits for.
	 * @return how long {@link #items()} may stay above zero
	 */
	Duration memory();

	/**
	 * Say how long a test waits for what must happen in the end.
	 * @return longer for a slow store
	 */
	default Duration patience() {
		return Duration.ofSeconds(20);
	}

	/**
	 * Say which lease the tests use where a lease is to end.
	 * @return longer for a slow store, at least 100 ms
	 */
	default Duration shortLease() {
		return Duration.ofMillis(400);
	}

	/**
	 * Say whether tokens still increase after {@link #clear()}, as they do where they
	 * come from a clock.
	 * @return whether they survive the loss of all data
	 */
	default boolean tokensSurviveLoss() {
		return true;
	}

	/**
	 * Stop the server.
	 */
	@Override
	void close();

}
