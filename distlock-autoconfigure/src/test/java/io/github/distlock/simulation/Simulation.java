package io.github.distlock.simulation;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static java.util.stream.Collectors.joining;

/** Runs one seed, or several. */
final class Simulation {

	/** The property of a seed that ends with an exception of the simulation itself. */
	private static final String BROKEN = "broken";

	/** The last line of {@link #main}. */
	static final String END = "the end";

	private Simulation() {
	}

	/**
	 * Run seeds in a JVM of its own and print what they find, one line each:
	 * {@code HASH 17 00d1}, {@code VIOLATION 17 S1: text}, and in the end
	 * {@code TOTAL number name}. A seed with a violation is the last one.
	 * {@link SimulationProcess} starts it and reads the lines.
	 */
	public static void main(String[] arguments) {
		PrintStream out = System.out;
		out.println("started");
		SeedRange seeds = SeedRange.parse(List.of(arguments));
		Map<String, Long> totals = new LinkedHashMap<>();
		long begin = System.nanoTime();
		boolean violated = false;
		for (long i = 0; i < seeds.count() && !violated && System.nanoTime() - begin < seeds.time().toNanos(); i++) {
			long seed = seeds.first() + i * seeds.step();
			Result result = live(Plan.of(seed), false);
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

	/**
	 * Live through one history. An exception of the simulation itself counts as a
	 * violation.
	 */
	static Result live(Plan plan, boolean traced) {
		try {
			return run(new World(plan, traced, ServerScript::new, PromiseFlaw.NONE));
		}
		catch (RuntimeException | Error ex) {
			String where = Stream.of(ex.getStackTrace())
				.filter((frame) -> frame.getClassName().startsWith("io.github.distlock"))
				.limit(5)
				.map((frame) -> " at " + frame)
				.collect(joining());
			return new Result(plan.seed(), BROKEN, List.of(new World.Violation(BROKEN, ex + where, 0)), Map.of(),
					List.of());
		}
	}

	/** Live through the history of a world, which may have a flaw. */
	static Result run(World world) {
		world.run();
		return new Result(world.plan.seed(), world.trace.hash(), List.copyOf(world.violations), world.history.totals,
				world.trace.lines);
	}

	/** What became of a seed, with its events if they were kept. */
	record Result(long seed, String hash, List<World.Violation> violations, Map<String, Long> totals,
			List<String> trace) {

	}

}
