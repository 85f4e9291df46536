package io.github.distlock.model;

/**
 * What an entry knows of keeping its grant: a JVM whose last holder has left may keep the
 * lock in the store for a while, so that its next thread enters without a command.
 */
final class KeptGrant extends StatePart<KeptGrant> {

	/** Whether the store has written that this grant may be kept. */
	boolean keepable;

	/** Whether the ticket must not be kept any more: another JVM has asked for it. */
	boolean mustReturn;

	/** Whether the lock is kept: no thread holds it. */
	boolean kept;

	/** How many ticks it is still kept. */
	int ticksLeft;

	/**
	 * Whether the open release is that of a kept lock, which ends the hold of no thread.
	 */
	boolean givingUp;

	void pass(StateForm form) {
		this.keepable = form.flag(this.keepable);
		this.mustReturn = form.flag(this.mustReturn);
		this.kept = form.flag(this.kept);
		this.ticksLeft = form.number(this.ticksLeft);
		this.givingUp = form.flag(this.givingUp);
	}

}
