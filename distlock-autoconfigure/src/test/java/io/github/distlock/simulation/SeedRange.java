package io.github.distlock.simulation;

import java.time.Duration;
import java.util.List;

/**
 * The seeds that one process runs, up to one with a violation.
 *
 * @param step from one seed to the next, if several processes share the seeds
 * @param count how many seeds at most
 * @param time how long no more than the running seed
 */
record SeedRange(long first, long step, long count, Duration time) {

	private static final Duration LONGEST = Duration.ofDays(1);

	static SeedRange of(long first, long count) {
		return new SeedRange(first, 1, count, LONGEST);
	}

	/** As many seeds as the time allows, up to a number. */
	static SeedRange during(long first, Duration time, long most) {
		return new SeedRange(first, 1, most, time);
	}

	SeedRange share(int number, int processes) {
		long share = this.count / processes + ((number < this.count % processes) ? 1 : 0);
		return new SeedRange(this.first + number * this.step, this.step * processes, share, this.time);
	}

	String[] arguments() {
		return new String[] { "" + this.first, "" + this.step, "" + this.count, "" + this.time };
	}

	static SeedRange parse(List<String> arguments) {
		return new SeedRange(Long.parseLong(arguments.get(0)), Long.parseLong(arguments.get(1)),
				Long.parseLong(arguments.get(2)), Duration.parse(arguments.get(3)));
	}

}
