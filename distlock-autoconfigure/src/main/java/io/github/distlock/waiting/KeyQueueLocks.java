package io.github.distlock.waiting;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * The locks that guard the queues of a room: a fixed number of them, each shared by many
 * keys. They are held for moments, and nobody takes a second one meanwhile (see
 * {@link LockedKeyQueue}), so that two keys under one lock only ever wait for each
 * other's moment.
 */
final class KeyQueueLocks {

	/** Many more than threads that run at a time; a power of two. */
	private static final int COUNT = 256;

	private final Lock[] locks = IntStream.range(0, COUNT).mapToObj((i) -> new ReentrantLock()).toArray(Lock[]::new);

	Lock of(String key) {
		int hash = key.hashCode() * 0x9E3779B9;
		return this.locks[hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(COUNT))];
	}

}
