package io.github.distlock.simulation;

/**
 * Slips in what surrounds the engine, each of which looks like a broken promise of the
 * engine: the simulation has to find it with the property that checks the promise.
 */
enum PromiseFlaw {

	NONE(""),

	/** The server confirms releases and does not execute them. */
	RELEASES_IGNORED("release"),

	/** The server confirms the release of a ticket that does not hold the lock. */
	UNKNOWN_RELEASES_CONFIRMED("release"),

	/** The server confirms that tickets are cancelled and keeps them. */
	CANCELS_IGNORED("leave"),

	/** No listener learns of a loss. */
	LOSSES_UNREPORTED("report"),

	/** No listener learns of a risk. */
	RISKS_UNREPORTED("report"),

	/** A JVM does not see that its wall clock was set. */
	SUSPENSION_UNSEEN("suspended"),

	/** While one key is poisoned, the server refuses renewals of all others, too. */
	NEIGHBOURS_REFUSED("cause"),

	/** Each attempt is sent twice. */
	ATTEMPTS_REPEATED("cost");

	/** The property that has to find it. */
	final String property;

	PromiseFlaw(String property) {
		this.property = property;
	}

}
