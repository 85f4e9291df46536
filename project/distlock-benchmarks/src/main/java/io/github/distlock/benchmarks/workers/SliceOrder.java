package io.github.distlock.benchmarks.workers;

import java.time.Duration;

/**
 * What a worker is told to do for a while.
 *
 * @param contender who locks
 * @param clients how many clients the worker plays
 * @param threads threads of each client
 * @param keys what the threads lock
 * @param section how long a section takes; zero is an empty one
 * @param start when to begin, by {@link System#nanoTime()}, which all JVMs of a machine
 * share
 * @param end when to begin no more cycles
 */
record SliceOrder(String contender, int clients, int threads, Keys keys, Duration section, long start, long end) {

	String encode() {
		return String.join(" ", this.contender, Integer.toString(this.clients), Integer.toString(this.threads),
				this.keys.name(), this.section.toString(), Long.toString(this.start), Long.toString(this.end));
	}

	static SliceOrder decode(String text) {
		String[] words = text.split(" ");
		return new SliceOrder(words[0], Integer.parseInt(words[1]), Integer.parseInt(words[2]), Keys.valueOf(words[3]),
				Duration.parse(words[4]), Long.parseLong(words[5]), Long.parseLong(words[6]));
	}

}
