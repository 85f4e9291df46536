package io.github.distlock.benchmarks.workers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * What happened in a slice.
 *
 * @param cycles all cycles, those that ended after the end of the slice too
 * @param perThread cycles of each thread that were entered before the end of the slice
 * @param latencies times from asking for the lock until the section
 * @param cpuNanos processor time of the clients
 * @param passages when each cycle asked and entered, as far as they were written down
 */
public record Tally(long cycles, List<Long> perThread, Latencies latencies, long cpuNanos, Passages passages) {

	/**
	 * Return how many cycles were entered before the end of the slice.
	 * @return the count
	 */
	public long counted() {
		return this.perThread.stream().mapToLong(Long::longValue).sum();
	}

	/**
	 * Put together what several saw.
	 * @param tallies at least one
	 * @return all of it
	 */
	static Tally of(List<Tally> tallies) {
		Latencies latencies = new Latencies();
		List<Long> perThread = new ArrayList<>();
		long cycles = 0;
		long cpu = 0;
		for (Tally tally : tallies) {
			latencies.add(tally.latencies());
			perThread.addAll(tally.perThread());
			cycles += tally.cycles();
			cpu += tally.cpuNanos();
		}
		return new Tally(cycles, perThread, latencies, cpu,
				Passages.of(tallies.stream().map(Tally::passages).toList()));
	}

	String encode() {
		return String.join(" ", Long.toString(this.cycles),
				this.perThread.stream().map(String::valueOf).collect(Collectors.joining(",")), this.latencies.encode(),
				Long.toString(this.cpuNanos), this.passages.encode());
	}

	static Tally decode(String text) {
		String[] words = text.split(" ");
		return new Tally(Long.parseLong(words[0]), numbers(words[1]).boxed().toList(), Latencies.decode(words[2]),
				Long.parseLong(words[3]), Passages.decode(words[4]));
	}

	static LongStream numbers(String text) {
		return Arrays.stream(text.split(",")).filter((word) -> !word.isEmpty()).mapToLong(Long::parseLong);
	}

}
