package io.github.distlock.backend;

/**
 * The clocks of this JVM.
 */
public interface TimeSource {

	/** The clocks of the system. */
	TimeSource SYSTEM = new TimeSource() {

		@Override
		public long nanoTime() {
			return System.nanoTime();
		}

		@Override
		public long wallMillis() {
			return System.currentTimeMillis();
		}

	};

	/**
	 * Return the monotonic time, of arbitrary origin.
	 * @return nanoseconds
	 */
	long nanoTime();

	/**
	 * Return the wall time. Only differences between two readings are used.
	 * @return milliseconds
	 */
	long wallMillis();

	/**
	 * Read both clocks.
	 * @return the moment
	 */
	default Instant now() {
		return new Instant(nanoTime(), wallMillis());
	}

	/**
	 * A moment on both clocks.
	 *
	 * @param nanos monotonic time
	 * @param millis wall time
	 */
	record Instant(long nanos, long millis) {
	}

}
