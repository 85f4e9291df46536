package io.github.distlock.backend;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

import io.github.distlock.LockInstance;

/**
 * What a registry passes to the store that it opens.
 *
 * @param self the instance that opens the store; its text is the instance part of every
 * ticket that will be used
 * @param signals the receiver of the store's signals
 * @param random for random delays; any thread may use it
 */
public record StoreContext(LockInstance self, LockSignals signals, RandomGenerator random) {

	/**
	 * Create what a store of an instance needs, with random delays of this JVM.
	 * @param self the instance that opens the store
	 * @param signals the receiver of the store's signals
	 */
	public StoreContext(LockInstance self, LockSignals signals) {
		this(self, signals, () -> ThreadLocalRandom.current().nextLong());
	}

	/**
	 * Return the instance part of every ticket that will be used.
	 * @return the text of the instance
	 */
	public String instance() {
		return this.self.text();
	}

}
