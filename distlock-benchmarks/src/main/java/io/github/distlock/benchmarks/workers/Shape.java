package io.github.distlock.benchmarks.workers;

import java.time.Duration;

/**
 * Who locks what.
 *
 * @param jvms worker JVMs
 * @param clients clients in each JVM, each with connections and instances of its own
 * @param threads threads of each client
 * @param hot whether all lock one key, instead of each thread its own
 * @param section how long a section takes; zero is an empty one
 */
public record Shape(int jvms, int clients, int threads, boolean hot, Duration section) {

	/**
	 * Return whether anyone waits.
	 * @return whether more than one thread uses a key
	 */
	public boolean contended() {
		return this.hot && this.jvms * this.clients * this.threads > 1;
	}

}
