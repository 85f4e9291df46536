package io.github.distlock.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * Every meter of the library: names, tags, meaning. The timers are in seconds. The others
 * name no base unit: some monitoring systems append it to the name, and the names are a
 * contract.
 */
public enum LockMeters implements MeterDocumentation {

	/**
	 * Attempts to get a lock, however they ended, and how long each waited.
	 */
	ACQUIRE("distlock.acquire", Meter.Type.TIMER, "Time from asking for a lock until it was granted or refused",
			Tags.NAME, Tags.BACKEND, Tags.OUTCOME),

	/**
	 * Locks that were held, and how long; a lost one counts until its loss.
	 */
	HOLD("distlock.hold", Meter.Type.TIMER, "Time for which a lock was held", Tags.NAME, Tags.BACKEND),

	/**
	 * Locks that this JVM holds now. Re-entries do not count.
	 */
	HELD("distlock.held", Meter.Type.GAUGE, "Locks held by this JVM now", Tags.BACKEND),

	/**
	 * Calls of this JVM that wait for a lock now.
	 */
	WAITING("distlock.waiting", Meter.Type.GAUGE, "Calls of this JVM waiting for a lock now", Tags.BACKEND),

	/**
	 * Leases that the watchdog renewed, or was to renew.
	 */
	RENEWALS("distlock.renewals", Meter.Type.COUNTER, "Leases renewed by the watchdog, or found gone, or failed to",
			Tags.BACKEND, Tags.OUTCOME),

	/**
	 * How late batches of renewals are answered, those that fail too. About a round trip
	 * when all is well; at two thirds of the lease time locks are lost.
	 */
	RENEWAL_LATENESS("distlock.renewal.lateness", Meter.Type.TIMER,
			"Time from the moment planned for a batch of renewals to its answer or failure", Tags.BACKEND),

	/**
	 * Locks that were lost while they were held. Any increase wants a look.
	 */
	LOST("distlock.lost", Meter.Type.COUNTER, "Locks lost while they were held", Tags.NAME, Tags.BACKEND),

	/**
	 * Locks that came from one holder to the next without having been free.
	 */
	HANDOFFS("distlock.handoffs", Meter.Type.COUNTER, "Locks handed from one holder to a waiting one", Tags.BACKEND,
			Tags.TYPE),

	/**
	 * How often the channel on which this JVM receives its grants received nothing and
	 * was subscribed again. Until then each hand-off from another JVM takes seconds.
	 */
	RESUBSCRIPTIONS("distlock.resubscriptions", Meter.Type.COUNTER,
			"New subscriptions of a channel for grants that received nothing", Tags.BACKEND);

	private final String meterName;

	private final Meter.Type type;

	private final String description;

	private final KeyName[] keyNames;

	LockMeters(String meterName, Meter.Type type, String description, KeyName... keyNames) {
		this.meterName = meterName;
		this.type = type;
		this.description = description;
		this.keyNames = keyNames;
	}

	@Override
	public String getName() {
		return this.meterName;
	}

	@Override
	public Meter.Type getType() {
		return this.type;
	}

	/**
	 * Return what the meter measures.
	 * @return a short sentence
	 */
	public String getDescription() {
		return this.description;
	}

	@Override
	public KeyName[] getKeyNames() {
		return this.keyNames.clone();
	}

	/**
	 * The tags. A meter has all of its tags, always.
	 */
	public enum Tags implements KeyName {

		/**
		 * The label of the lock: {@code name} of the annotation or request, otherwise
		 * class and method. Never the key, which has too many values for a tag.
		 */
		NAME("name"),

		/** The store, for example {@code redis}. */
		BACKEND("backend"),

		/**
		 * How it ended. Attempts: {@code acquired}, {@code timeout}, {@code skipped},
		 * {@code interrupted}, {@code backend-error}, {@code invalid}. Renewals:
		 * {@code renewed}, {@code gone}, {@code failed}.
		 */
		OUTCOME("outcome"),

		/**
		 * {@code local}: inside the JVM, without a command to the store. {@code remote}:
		 * through the store.
		 */
		TYPE("type");

		private final String key;

		Tags(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
