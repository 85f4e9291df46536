package io.github.distlock.torture;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Pauses that are part of a test. */
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
