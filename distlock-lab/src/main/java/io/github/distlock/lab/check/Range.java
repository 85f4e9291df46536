package io.github.distlock.lab.check;

/**
 * Bounds of a number of nanoseconds.
 *
 * @param low the lowest possible value
 * @param high the highest possible value
 */
record Range(long low, long high) {

	Range plus(long nanos) {
		return new Range(this.low + nanos, this.high + nanos);
	}

	/** Only what both say. */
	Range meet(Range other) {
		return new Range(Math.max(this.low, other.low), Math.min(this.high, other.high));
	}

	boolean isEmpty() {
		return this.low > this.high;
	}

	long middle() {
		return this.low + (this.high - this.low) / 2;
	}

}
