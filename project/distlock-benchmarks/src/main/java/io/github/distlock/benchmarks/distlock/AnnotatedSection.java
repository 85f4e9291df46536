package io.github.distlock.benchmarks.distlock;

import io.github.distlock.DistributedLock;

/**
 * A service with a locked method.
 */
class AnnotatedSection {

	@DistributedLock(key = "#key", waitTime = "-1")
	void run(String key, Runnable section) {
		section.run();
	}

}
