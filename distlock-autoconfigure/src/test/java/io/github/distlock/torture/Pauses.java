package io.github.distlock.torture;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets time pass where that is the point.
 */
final class Pauses {

	private Pauses() {
	}

	static void pause(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		for (long left; (left = end - System.nanoTime()) > 0;) {
			LockSupport.parkNanos(left);
		}
	}

}
