package io.github.distlock.model;

/**
 * A thread that tries once. It does not wait for other holders, but it does ask for a
 * lock that is only kept, and waits for that answer.
 */
final class SingleTry extends StatePart<SingleTry> {

	/** How many times a thread of the entry will still try once. */
	int left;

	/** Whether a thread tries now, with an attempt that does not queue its ticket. */
	boolean tries;

	/** Whether it has found a kept lock, and its queued ticket asks for it. */
	boolean asks;

	/** How many ticks it still waits for the answer. */
	int ticksLeft;

	/**
	 * Whether no other thread has held or wanted the lock since the try began, and
	 * nothing has failed or been late. Then the try must not fail.
	 */
	boolean uncontended;

	boolean isActive() {
		return this.tries || this.asks;
	}

	void end() {
		this.tries = false;
		this.asks = false;
		this.ticksLeft = 0;
		this.uncontended = false;
	}

	void pass(StateForm form) {
		this.left = form.number(this.left);
		this.tries = form.flag(this.tries);
		this.asks = form.flag(this.asks);
		this.ticksLeft = form.number(this.ticksLeft);
		this.uncontended = form.flag(this.uncontended);
	}

}
