package io.github.distlock.waiting;

import java.time.Duration;

/**
 * When the waiting place of an entry attempts: as soon as it may, or when the alarm
 * rings. Messages are hints; this is what makes up for those that were lost. Guarded by
 * the entry's lock.
 */
final class Lookout {

	/** A grant that came too late is waited out in steps of this. */
	private static final long STALE_LOOK_NANOS = Duration.ofMillis(20).toNanos();

	private final Surroundings room;

	private final Alarm alarm;

	/** Whether to attempt as soon as it may. */
	private boolean due;

	private long intervalNanos;

	Lookout(Surroundings room, Alarm alarm) {
		this.room = room;
		this.alarm = alarm;
	}

	/** Attempt as soon as it may. */
	void now() {
		this.due = true;
	}

	/** Attempt after an interval that the store names, unless told sooner. */
	void after(Duration interval) {
		this.intervalNanos = interval.toNanos();
		at(this.room.clock().nanoTime() + this.intervalNanos);
	}

	/** Attempt when a grant that came too late has passed in the store, too. */
	void afterStaleGrant() {
		at(this.room.clock().nanoTime() + STALE_LOOK_NANOS);
	}

	/** Ring at a moment. */
	void at(long nanos) {
		this.alarm.set(nanos);
	}

	/** There is nothing to look for any more; somebody else may need the alarm. */
	void rest(boolean silent) {
		this.due = false;
		if (silent) {
			this.alarm.clear();
		}
	}

	/**
	 * A timer fired.
	 * @return whether it is time
	 */
	boolean rings() {
		return this.alarm.fired();
	}

	/**
	 * It is time. A place that hears of everything through another one of this JVM goes
	 * on waiting.
	 */
	void look(boolean needsAnswer) {
		if (needsAnswer || this.room.isLookout()) {
			now();
		}
		else {
			at(this.room.clock().nanoTime() + this.intervalNanos);
		}
	}

	/** Whether to attempt now; it is done then. */
	boolean takeDue() {
		boolean was = this.due;
		this.due = false;
		return was;
	}

}
