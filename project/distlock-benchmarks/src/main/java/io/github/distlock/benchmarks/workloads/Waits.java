package io.github.distlock.benchmarks.workloads;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets time pass.
 */
final class Waits {

	private Waits() {
	}

	static void pass(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		for (long rest; (rest = end - System.nanoTime()) > 0;) {
			LockSupport.parkNanos(rest);
		}
	}

}
