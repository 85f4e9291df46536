package io.github.distlock.metrics;

import java.util.List;
import java.util.stream.IntStream;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * All meters of the library, with their names, tags and meaning. The timers are in
 * seconds. The other meters have no base unit, since some monitoring systems append it to
 * the name, and the names are a contract.
 */
public enum LockMeters implements MeterDocumentation {

	/**
	 * Attempts to acquire a lock, with any outcome, and the time that each waited.
	 */
	ACQUIRE("distlock.acquire", Meter.Type.TIMER, "Time from asking for a lock until it was granted or refused",
			Tags.NAME, Tags.BACKEND, Tags.OUTCOME),

	/**
	 * Held locks, and how long they were held. A lost lock counts until its loss.
	 */
	HOLD("distlock.hold", Meter.Type.TIMER, "Time for which a lock was held", Tags.NAME, Tags.BACKEND),

	/**
	 * Locks that this JVM holds now. Re-entries do not count.
	 */
	HELD("distlock.held", Meter.Type.GAUGE, "Locks held by this JVM now", Tags.BACKEND),

	/**
	 * Longest time for which this JVM has held a lock with this name until now; zero if
	 * it holds none. Unlike {@code distlock.hold} it shows a holder that is stuck.
	 */
	HOLD_LONGEST("distlock.hold.longest", Meter.Type.GAUGE, "Time for which the longest held lock has been held",
			Tags.NAME, Tags.BACKEND),

	/**
	 * Locks of this JVM that are likely to be lost soon: the last renewal failed, and
	 * less than half of the lease is left. Alert on any value above zero.
	 */
	AT_RISK("distlock.at.risk", Meter.Type.GAUGE,
			"Locks whose renewal failed and that have less than half of their lease left", Tags.BACKEND),

	/**
	 * Calls of this JVM that are waiting for a lock now.
	 */
	WAITING("distlock.waiting", Meter.Type.GAUGE, "Calls of this JVM waiting for a lock now", Tags.BACKEND),

	/**
	 * Leases that the watchdog renewed or tried to renew.
	 */
	RENEWALS("distlock.renewals", Meter.Type.COUNTER,
			"Leases that the watchdog renewed, found gone, or failed to renew", Tags.BACKEND, Tags.OUTCOME),

	/**
	 * Time from the moment planned for a batch of renewals to its answer or failure.
	 * Normally about one round trip. At two thirds of the lease time, locks are lost.
	 */
	RENEWAL_LATENESS("distlock.renewal.lateness", Meter.Type.TIMER,
			"Time from the moment planned for a batch of renewals to its answer or failure", Tags.BACKEND),

	/**
	 * Locks that were lost while they were held. Alert on any increase.
	 */
	LOST("distlock.lost", Meter.Type.COUNTER, "Locks lost while they were held", Tags.NAME, Tags.BACKEND),

	/**
	 * Locks that went from one holder to the next without being free in between.
	 */
	HANDOFFS("distlock.handoffs", Meter.Type.COUNTER, "Locks handed from one holder to the next", Tags.BACKEND,
			Tags.TYPE),

	/**
	 * New subscriptions of the channel on which this JVM receives its grants, because the
	 * channel received nothing. Until then each hand-off from another JVM takes seconds.
	 */
	RESUBSCRIPTIONS("distlock.resubscriptions", Meter.Type.COUNTER,
			"New subscriptions of a channel for grants that received nothing", Tags.BACKEND),

	/**
	 * Tokens of locks that were compared with those of later holders in the database of a
	 * transaction. Only with {@code distlock.transaction.fence=true}.
	 */
	FENCE("distlock.fence", Meter.Type.COUNTER, "Tokens of locks compared in the database of a transaction",
			Tags.OUTCOME);

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
	 * Return the description of the meter.
	 * @return a short sentence
	 */
	public String getDescription() {
		return this.description;
	}

	@Override
	public KeyName[] getKeyNames() {
		return this.keyNames.clone();
	}

	/** Return the tags of the meter with values in the order of its key names. */
	List<Tag> tags(String... values) {
		return IntStream.range(0, this.keyNames.length)
			.mapToObj((i) -> Tag.of(this.keyNames[i].asString(), values[i]))
			.toList();
	}

	/**
	 * Tags of the meters. A meter always has all of its tags.
	 */
	public enum Tags implements KeyName {

		/**
		 * Label of the lock: {@code name} of the annotation or request, otherwise class
		 * and method. Never the key, which has too many values for a tag.
		 */
		NAME("name"),

		/** Name of the store, such as {@code redis}. */
		BACKEND("backend"),

		/**
		 * Result of the operation. Attempts: {@code acquired}, {@code timeout},
		 * {@code too-many-waiting}, {@code skipped}, {@code interrupted},
		 * {@code backend-error}, {@code invalid}. Renewals: {@code renewed},
		 * {@code gone}, {@code failed}. Tokens: {@code passed}, {@code refused},
		 * {@code failed}.
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
