package io.github.distlock.waiting;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * The one timer of a queue. Setting it later costs nothing: the timer that is armed
 * already finds, when it fires, that it is too early, and is armed again. Guarded by the
 * queue's lock.
 */
final class Alarm {

	private final KeyQueueContext context;

	private final CommandTarget queue;

	private boolean set;

	private long atNanos;

	/** Whether a timer will fire. */
	private boolean armed;

	private long armedForNanos;

	/** Why the last timer could not be set. */
	private @Nullable LockBackendException refusal;

	Alarm(KeyQueueContext context, CommandTarget queue) {
		this.context = context;
		this.queue = queue;
	}

	void set(long nanos) {
		this.set = true;
		this.atNanos = nanos;
		if (!this.armed || nanos - this.armedForNanos < 0) {
			arm();
		}
	}

	void clear() {
		this.set = false;
	}

	/**
	 * A timer fired.
	 * @return whether it is time
	 */
	boolean fired() {
		long now = this.context.clock().nanoTime();
		if (this.armed && now - this.armedForNanos >= 0) {
			this.armed = false;
		}
		if (!this.set) {
			return false;
		}
		if (now - this.atNanos >= 0) {
			this.set = false;
			return true;
		}
		if (!this.armed) {
			arm();
		}
		return false;
	}

	/**
	 * Make sure that a timer will fire if the alarm is set.
	 * @return why none will, or {@code null}
	 */
	@Nullable LockBackendException ensure() {
		if (!this.set || this.armed) {
			return null;
		}
		arm();
		return this.refusal;
	}

	private void arm() {
		// A timer that fires meanwhile waits for the queue's lock. If this throws, none
		// is armed, and the next event sets it again.
		this.armed = false;
		this.refusal = this.context.scheduleTimer(this.queue,
				Math.max(0, this.atNanos - this.context.clock().nanoTime()));
		this.armedForNanos = this.atNanos;
		this.armed = this.refusal == null;
	}

}
