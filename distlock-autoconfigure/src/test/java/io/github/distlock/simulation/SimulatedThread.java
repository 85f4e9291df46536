package io.github.distlock.simulation;

import org.jspecify.annotations.Nullable;

/**
 * A thread of a simulated JVM: what the scheduler knows of it. All fields belong to the
 * thread that has the baton.
 */
final class SimulatedThread {

	enum State {

		/** It runs, or waits for the baton. */
		RUNNABLE,

		/** It waits for a permit, see {@link Scheduler#park}. */
		PARKED,

		/** It waits for something else; an interrupt does not wake it. */
		BLOCKED,

		/** It has ended. */
		ENDED

	}

	final String name;

	/** The JVM that it belongs to; {@code null} for a thread of the world itself. */
	final @Nullable SimulatedJvm jvm;

	final Runnable body;

	State state = State.RUNNABLE;

	/** The permit of {@link Scheduler#unpark}. */
	boolean permit;

	/** Counts the waits of the thread, so that a late timer does not end another one. */
	long waits;

	/** Set when the thread must unwind: its JVM has crashed, or the history is over. */
	boolean killed;

	/** How often it was told to unwind. */
	int kills;

	/** The platform thread that runs it, once it has begun. */
	@Nullable Carrier carrier;

	SimulatedThread(String name, @Nullable SimulatedJvm jvm, Runnable body) {
		this.name = name;
		this.jvm = jvm;
		this.body = body;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
