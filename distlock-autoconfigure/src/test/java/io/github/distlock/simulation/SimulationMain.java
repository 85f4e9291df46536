package io.github.distlock.simulation;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs seeds in a JVM of its own and prints what it finds, one line each:
 * {@code HASH 17 00d1}, {@code VIOLATION 17 S1: text}, and in the end
 * {@code TOTAL number name}. A seed with a violation is the last one.
 * {@link SimulationProcess} starts it and reads the lines.
 */
final class SimulationMain {

	static final String END = "the end";

	private SimulationMain() {
	}

	public static void main(String[] arguments) {
		PrintStream out = System.out;
		out.println("started");
		SeedRange seeds = SeedRange.parse(List.of(arguments));
		Map<String, Long> totals = new LinkedHashMap<>();
		long begin = System.nanoTime();
		boolean violated = false;
		for (long i = 0; i < seeds.count() && !violated && System.nanoTime() - begin < seeds.time().toNanos(); i++) {
			long seed = seeds.first() + i * seeds.step();
			Simulation.Result result = Simulation.live(Plan.of(seed), false);
			out.println("HASH " + seed + " " + result.hash());
			result.violations().forEach((violation) -> out.println("VIOLATION " + seed + " " + violation));
			violated = !result.violations().isEmpty();
			totals.merge("seeds", 1L, Long::sum);
			result.totals().forEach((name, number) -> totals.merge(name, number, Long::sum));
		}
		totals.forEach((name, number) -> out.println("TOTAL " + number + " " + name));
		out.println(END);
		out.flush();
		// Threads of a faulty engine must not keep this process alive. An agent writes
		// its file in a shutdown hook.
		System.exit(0);
	}

}
