package io.github.distlock.torture.history;

/**
 * The time during which a lock was guaranteed to its holder, and therefore to no other.
 * Empty if it had passed before the call returned.
 *
 * @param start when the call returned
 * @param end when the holder released the lock, or when its validity ended
 */
public record Claim(long start, long end) {

	/** Whether nothing was guaranteed at any moment. */
	public boolean isEmpty() {
		return this.end <= this.start;
	}

	/** Whether the lock was guaranteed at a moment. */
	public boolean contains(long nanos) {
		return this.start <= nanos && nanos < this.end;
	}

}
