package io.github.distlock.registry;

/**
 * When the release of a lock returns.
 */
public enum ReleaseMode {

	/** When the store has answered. */
	CONFIRMED,

	/** When it is certain that the lease has not passed; the store answers later. */
	BACKGROUND

}
