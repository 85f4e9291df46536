package io.github.distlock.torture.history;

/**
 * How long a lock was guaranteed to its holder: between these moments nobody else may be
 * guaranteed the same key. Empty if it had passed before the call returned.
 *
 * @param start when the holder first knew
 * @param end when the holder gave it back, or knew no longer
 */
public record Claim(long start, long end) {

	/**
	 * Return whether nothing was guaranteed at any moment.
	 * @return whether it is empty
	 */
	public boolean isEmpty() {
		return this.end <= this.start;
	}

	/**
	 * Return whether a moment lies inside.
	 * @param nanos the moment
	 * @return whether the lock was guaranteed then
	 */
	public boolean contains(long nanos) {
		return this.start <= nanos && nanos < this.end;
	}

}
