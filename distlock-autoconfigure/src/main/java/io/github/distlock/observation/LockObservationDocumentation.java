package io.github.distlock.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * All observations of the library, with their names, key names and events. Their names
 * differ from those of the meters, since a handler of meters makes a timer of the name of
 * an observation, with other tags. The auto-configuration prevents that timer, because
 * the library has its own.
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/**
	 * One acquisition of a lock, from the request to its outcome. It begins before the
	 * first attempt, so it covers the wait. Re-entries are not observed.
	 */
	ACQUISITION("distlock.acquisition", "acquire", LockEvents.QUEUED, LockEvents.GRANTED),

	/**
	 * The work of one call under its locks, until its result is complete. Off unless
	 * {@code distlock.observations.section} is {@code true}.
	 */
	SECTION("distlock.section", "section", LockEvents.LOST);

	private final String observationName;

	private final String verb;

	private final Observation.Event[] events;

	LockObservationDocumentation(String observationName, String verb, Observation.Event... events) {
		this.observationName = observationName;
		this.verb = verb;
		this.events = events;
	}

	@Override
	public String getName() {
		return this.observationName;
	}

	/** The first word of the contextual name, before the name of the lock. */
	String verb() {
		return this.verb;
	}

	@Override
	public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
		return LockObservationConvention.class;
	}

	@Override
	public Observation.Event[] getEvents() {
		return this.events.clone();
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return LowCardinalityKeyNames.values();
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return HighCardinalityKeyNames.values();
	}

	/**
	 * Key names with few values, which become tags of spans. Each observation always has
	 * all of them.
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/**
		 * Label of the lock: {@code name} of the annotation or request, otherwise class
		 * and method. A section under several locks has their names, comma-separated.
		 */
		NAME("distlock.name"),

		/** Name of the store, such as {@code redis}. */
		BACKEND("distlock.backend"),

		/** How the lock is shared: {@code exclusive}, {@code read}, {@code write}. */
		MODE("distlock.mode"),

		/**
		 * How it ended. Acquisitions: {@code acquired}, {@code timeout},
		 * {@code too-many-waiting}, {@code skipped}, {@code interrupted},
		 * {@code backend-error}, {@code invalid}. Sections: {@code success},
		 * {@code error}, {@code lost}. Before the end {@code none}.
		 */
		OUTCOME("outcome"),

		/** Simple name of the exception, or {@code none}. */
		EXCEPTION("exception");

		private final String key;

		LowCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * Key names with many values, which only spans have. Off unless
	 * {@code distlock.observations.keys} is {@code true}.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/** Key of the lock; several are comma-separated. */
		KEY("distlock.key"),

		/** Fencing token of the lock; absent if it was not acquired. */
		FENCING_TOKEN("distlock.fencing_token");

		private final String key;

		HighCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * Events of the observations.
	 */
	public enum LockEvents implements Observation.Event {

		/** The call was not granted the lock at once and waits. */
		QUEUED("queued"),

		/** The call was granted the lock by a hand-off, after it had waited. */
		GRANTED("granted"),

		/** A lock of the section was lost; the work goes on without protection. */
		LOST("lost");

		private final String eventName;

		LockEvents(String eventName) {
			this.eventName = eventName;
		}

		@Override
		public String getName() {
			return this.eventName;
		}

	}

}
