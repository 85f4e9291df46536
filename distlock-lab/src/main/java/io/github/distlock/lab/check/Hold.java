package io.github.distlock.lab.check;

/**
 * A lock that a caller held. Times are those of {@code System.nanoTime()} in its JVM.
 *
 * @param jvm the JVM
 * @param registry the registry
 * @param key the hash of registry and key
 * @param name the key if the recording has it, else the label and the hash
 * @param reads whether other readers may hold the lock, too
 * @param permits how many may hold the lock at once when this one enters, 0 without a
 * limit
 * @param token the fencing token
 * @param start when the caller had the grant
 * @param surely until when the caller surely relied on the lock
 * @param until until when the caller may have relied on the lock: if the end of the hold
 * is not recorded, until the end of its validity if its JVM was killed, else
 * {@link #FOREVER}, since it may have been renewed
 * @param end how it ended
 * @param wall the JVM's clock of the day less its {@code System.nanoTime()}, then
 */
record Hold(Jvm jvm, String registry, String key, String name, boolean reads, int permits, long token, long start,
		long surely, long until, String end, long wall) {

	/** Far from the times of all clocks, and not so far that a sum of them overflows. */
	static final long FOREVER = Long.MAX_VALUE / 4;

	/**
	 * Return whether it is not known when the hold ended: that is not in the recording,
	 * or its JVM noticed the end of the validity too late.
	 */
	boolean isOpen() {
		return this.surely < this.until;
	}

	/**
	 * Return whether the store gives tokens.
	 */
	boolean hasToken() {
		return this.token != 0;
	}

}
