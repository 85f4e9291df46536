package io.github.distlock.simulation;

/**
 * One fault of a history. Faults are decided before the history begins, so that each can
 * be left out.
 *
 * @param number names the fault in the report
 * @param jvm the index of the JVM that it concerns
 * @param nanos how long it lasts, or by how much something is late
 * @param count how many packets, messages, tasks or calls it concerns, or which key
 */
record Fault(int number, long atNanos, Kind kind, int jvm, long nanos, int count) {

	enum Kind {

		/** The next requests of the JVM are lost. */
		LOSE_REQUESTS,

		/** The next requests of the JVM are executed, and their replies are lost. */
		LOSE_REPLIES,

		/** The next requests and replies are late, but within the time-out. */
		DELAY_PACKETS,

		/** The next requests are executed long after the caller has given up. */
		LATE_REQUESTS,

		/** The next requests are executed twice, the second time later. */
		REPEAT_REQUESTS,

		/** The next messages to the JVM are lost. */
		LOSE_MESSAGES,

		/** The next messages to the JVM are late. */
		DELAY_MESSAGES,

		/** The next messages to the JVM come twice. */
		REPEAT_MESSAGES,

		/** Nothing passes between the JVM and the server for some time. */
		PARTITION,

		/** The JVM stands still for some time. */
		PAUSE,

		/** The JVM is gone, and another one takes its place after some time. */
		CRASH,

		/** The executors of the JVM refuse the next tasks. */
		REFUSE_TASKS,

		/** The next calls of the store throw an error, before or after the command. */
		ERRORS,

		/** The server is away for some time, and keeps its data. */
		RESTART_SERVER,

		/** The server is away for some time, and has lost everything. */
		EMPTY_SERVER,

		/** A replica takes over without the last writes. */
		FAIL_OVER,

		/** The wall clock of the JVM is set. */
		STEP_WALL_CLOCK,

		/** The registry of the JVM is closed, and opened again after some time. */
		RESTART_REGISTRY,

		/** An operator ends a grant. */
		END_GRANT,

		/**
		 * For some time the server answers each renewal of a batch with one key, and some
		 * attempts for that key, with an error.
		 */
		POISON_KEY,

		/** For some time the answers to such commands throw an error. */
		THROW_ANSWERS,

		/** A waiting thread of the JVM is interrupted. */
		INTERRUPT,

		/** An asynchronous acquisition of the JVM is cancelled. */
		CANCEL

	}

	/** The one key that it concerns; empty if it does not concern one key only. */
	String poisonedKey() {
		return (this.kind == Kind.POISON_KEY || this.kind == Kind.THROW_ANSWERS) ? Callers.key(this.count) : "";
	}

	boolean concerns(int place, String key) {
		String only = poisonedKey();
		return only.isEmpty() ? FaultEffects.GLOBAL.contains(this.kind) || this.jvm == place : only.equals(key);
	}

}
