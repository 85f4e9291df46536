package io.github.distlock.lab.check;

/**
 * When a hold began and ended, as bounds on one axis.
 *
 * @param start when it began
 * @param end when it ended
 */
record Interval(Range start, Range end) {

	/** By the clock of the JVM. */
	Interval(Hold hold) {
		this(new Range(hold.start(), hold.start()), new Range(hold.surely(), hold.until()));
	}

	/** By the clock of the server. */
	Interval(Hold hold, ServerClock clock) {
		this(clock.at(hold.start()), new Range(clock.at(hold.surely()).low(), clock.at(hold.until()).high()));
	}

	/**
	 * Return for how long two holds overlap: at least, which is negative if they may be
	 * apart, and at most, which is not positive if they are apart.
	 */
	Range overlap(Interval other) {
		return new Range(Math.min(this.end.low(), other.end.low()) - Math.max(this.start.high(), other.start.high()),
				Math.min(this.end.high(), other.end.high()) - Math.max(this.start.low(), other.start.low()));
	}

}
