package io.github.distlock.actuate;

/**
 * All details of the health of a store.
 */
enum HealthDetail {

	/** Kind and address of the store, without credentials. */
	LOCATION("location"),

	/**
	 * State of the channel on which this JVM receives its grants. Only stores with such a
	 * channel have this detail. Without the channel, waiting calls ask the store at
	 * intervals, and the health stays {@code UP}.
	 */
	INBOX("inbox"),

	/**
	 * How late the last batch of renewals was answered, as a duration in ISO-8601 format.
	 * Normally about one round trip.
	 */
	WATCHDOG_LATENESS("watchdogLateness"),

	/** Number of locks that this JVM holds. */
	HELD("held"),

	/** Number of calls of this JVM that wait for a lock. */
	WAITING("waiting"),

	/**
	 * Time from a command to its answer, as a duration in ISO-8601 format. Only if the
	 * store answers.
	 */
	ROUND_TRIP("roundTrip");

	private final String detailName;

	HealthDetail(String detailName) {
		this.detailName = detailName;
	}

	/** Return the name of the detail. */
	String detailName() {
		return this.detailName;
	}

}
