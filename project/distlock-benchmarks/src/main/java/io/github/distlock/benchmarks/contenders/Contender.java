package io.github.distlock.benchmarks.contenders;

import java.util.Set;

import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;

/**
 * One way to lock.
 *
 * @param id what it is called in options and tables
 * @param description which library, and how it is used
 * @param stores where it can keep locks
 * @param abilities what it can be measured in
 * @param opening how it is opened
 */
public record Contender(String id, String description, Set<Kind> stores, Set<Ability> abilities, Opening opening) {

	/**
	 * Open it.
	 * @param client whose connections it uses
	 * @return its locks
	 * @throws UnavailableException if it refuses
	 */
	public Locks open(Client client) {
		return this.opening.open(client);
	}

	/**
	 * What a contender can be measured in.
	 */
	public enum Ability {

		/** Acquires and releases at full speed. */
		CYCLES,

		/** Waits for a lock that somebody else has. */
		WAITS,

		/** Renews the lease of a lock that is held. */
		RENEWS

	}

	/**
	 * How a contender is opened.
	 */
	@FunctionalInterface
	public interface Opening {

		/**
		 * Open it.
		 * @param client whose connections it uses
		 * @return its locks
		 */
		Locks open(Client client);

	}

}
