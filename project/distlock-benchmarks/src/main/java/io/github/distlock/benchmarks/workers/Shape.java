package io.github.distlock.benchmarks.workers;

import java.time.Duration;

/**
 * Who locks what.
 *
 * @param jvms worker JVMs
 * @param clients clients in each JVM, each with connections and instances of its own
 * @param threads threads of each client
 * @param keys what the threads lock
 * @param section how long a section takes; zero is an empty one
 */
public record Shape(int jvms, int clients, int threads, Keys keys, Duration section) {

	/**
	 * Return whether anyone waits.
	 * @return whether more than one thread uses a key
	 */
	public boolean contended() {
		return this.keys.isOne() && this.jvms * this.clients * this.threads > 1;
	}

}
