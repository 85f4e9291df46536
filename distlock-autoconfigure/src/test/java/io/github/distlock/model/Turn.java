package io.github.distlock.model;

/**
 * How long a JVM has kept the lock, and how often its waiting ticket was overtaken. Only
 * counted in searches whose turns are bounded by time.
 */
final class Turn extends StatePart<Turn> {

	/** Ticks since the grant under which a thread holds the lock. */
	int ticks;

	/** Threads of other JVMs that have entered while the ticket was in the queue. */
	int overtakers;

	/** The turns in which they entered. */
	int overtakingTurns;

	/** The JVM was granted the lock. */
	void begin() {
		this.ticks = 0;
		this.overtakers = 0;
		this.overtakingTurns = 0;
	}

	/** A thread of another JVM enters, under a new grant or by a hand-off. */
	void overtakenBy(boolean newTurn) {
		if (newTurn || this.overtakers == 0) {
			this.overtakingTurns++;
		}
		this.overtakers++;
	}

	void pass(StateForm form) {
		this.ticks = form.number(this.ticks);
		this.overtakers = form.number(this.overtakers);
		this.overtakingTurns = form.number(this.overtakingTurns);
	}

}
