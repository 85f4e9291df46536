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
 * @param until until when the caller may have relied on the lock: the end of its validity
 * if the recording has no end of the hold
 * @param end how it ended
 * @param wall the JVM's clock of the day less its {@code System.nanoTime()}, then
 */
record Hold(Jvm jvm, String registry, String key, String name, boolean reads, int permits, long token, long start,
		long surely, long until, String end, long wall) {

	/**
	 * Return whether the end of the hold is not in the recording.
	 */
	boolean isOpen() {
		return this.surely < this.until;
	}

}
