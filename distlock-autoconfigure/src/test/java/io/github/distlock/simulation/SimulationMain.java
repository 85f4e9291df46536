package io.github.distlock.simulation;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static java.util.stream.Collectors.joining;

/**
 * Runs seeds in a JVM of its own and prints what it finds, one line each:
 * {@code HASH seed=17 00d1}, {@code VIOLATION seed=17 S1: text}, and in the end
 * {@code TOTAL name=number}. A seed with a violation is the last one.
 * {@link SimulationProcess} starts it and reads the lines.
 */
final class SimulationMain {

	static final String VIOLATION = "VIOLATION seed=";

	static final String HASH = "HASH seed=";

	static final String TOTAL = "TOTAL ";

	static final String END = "the end";

	/** The property of a seed that ends with an exception of the simulation itself. */
	private static final String BROKEN = "broken";

	private final PrintStream out = System.out;

	private final SeedRange seeds;

	private final Map<String, Long> totals = new LinkedHashMap<>();

	private SimulationMain(SeedRange seeds) {
		this.seeds = seeds;
	}

	public static void main(String[] arguments) {
		new SimulationMain(SeedRange.parse(List.of(arguments))).run();
		// Threads of a faulty engine must not keep this process alive. An agent writes
		// its file in a shutdown hook.
		System.exit(0);
	}

	/**
	 * Live through one history. An exception of the simulation itself counts as a
	 * violation.
	 */
	static Simulation.Result live(Plan plan, boolean traced) {
		try {
			return Simulation.run(plan, traced);
		}
		catch (RuntimeException | Error ex) {
			String where = Stream.of(ex.getStackTrace())
				.filter((frame) -> frame.getClassName().startsWith("io.github.distlock"))
				.limit(5)
				.map((frame) -> " at " + frame)
				.collect(joining());
			return new Simulation.Result(plan.seed(), BROKEN, List.of(new World.Violation(BROKEN, ex + where, 0)),
					Map.of(), List.of());
		}
	}

	private void run() {
		this.out.println("started");
		long begin = System.nanoTime();
		boolean violated = false;
		for (long i = 0; i < this.seeds.count() && !violated
				&& System.nanoTime() - begin < this.seeds.time().toNanos(); i++) {
			long seed = this.seeds.first() + i * this.seeds.step();
			Simulation.Result result = live(Plan.of(seed), false);
			this.out.println(HASH + seed + " " + result.hash());
			result.violations().forEach((violation) -> this.out.println(VIOLATION + seed + " " + violation));
			violated = !result.violations().isEmpty();
			add("seeds", 1);
			result.totals().forEach(this::add);
		}
		this.totals.forEach((name, number) -> this.out.println(TOTAL + name + "=" + number));
		this.out.println(END);
		this.out.flush();
	}

	private void add(String name, long number) {
		this.totals.merge(name, number, Long::sum);
	}

}
