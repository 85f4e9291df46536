package io.github.distlock.simulation;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.distlock.HandOff;

import static java.util.stream.Collectors.joining;

/**
 * Runs seeds in a JVM of its own and prints what it finds, one line each:
 * {@code VIOLATION seed=17 S1: text}, {@code HASH seed=17 00d1} if asked for, and at the
 * end {@code TOTAL name=number}. {@link SimulationProcess} starts it and reads the lines.
 */
final class SimulationMain {

	static final String VIOLATION = "VIOLATION seed=";

	static final String HASH = "HASH seed=";

	static final String TOTAL = "TOTAL ";

	/** The property of a seed that ends with an exception of the simulation itself. */
	private static final String BROKEN = "broken";

	/** The property of a seed that does not end. */
	static final String ENDLESS = "endless";

	/** Real time. A seed takes some hundredths of a second. */
	private static final Duration LONGEST_SEED = Duration.ofSeconds(100);

	private final PrintStream out = System.out;

	private final SeedRange seeds;

	private final Map<String, Long> totals = new LinkedHashMap<>();

	private volatile long current;

	private volatile long currentSince;

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
					new Statistics(), List.of());
		}
	}

	private void run() {
		this.currentSince = System.nanoTime();
		Thread watch = new Thread(this::watch, "watch");
		watch.setDaemon(true);
		watch.start();
		long begin = System.nanoTime();
		for (long i = 0; i < this.seeds.count(); i++) {
			if (System.nanoTime() - begin > this.seeds.time().toNanos()) {
				break;
			}
			this.current = this.seeds.first() + i * this.seeds.step();
			this.currentSince = System.nanoTime();
			Plan plan = Plan.of(this.current);
			Simulation.Result result = live(plan, false);
			if (this.seeds.hashes()) {
				this.out.println(HASH + this.current + " " + result.hash());
			}
			result.violations().forEach((violation) -> this.out.println(VIOLATION + this.current + " " + violation));
			add("faults", plan.faults().size());
			count(result);
			if (this.seeds.stopAtFirst() && !result.violations().isEmpty()) {
				break;
			}
		}
		this.currentSince = Long.MAX_VALUE;
		printTotals();
	}

	private void count(Simulation.Result result) {
		Statistics statistics = result.statistics();
		add("seeds", 1);
		add("calls", statistics.calls);
		add("acquisitions", statistics.acquisitions());
		add("hand-offs", statistics.handOffs());
		add("losses", statistics.losses());
		add("crashes", statistics.crashes);
		add("lost messages", statistics.lostMessages);
		add("virtual ms", statistics.nanos / 1_000_000);
		add("steps", statistics.steps);
		add("waits", statistics.waits);
		add("re-entries", statistics.reentries);
		statistics.ends.forEach((end, number) -> add("end " + end, number));
		for (HandOff handOff : HandOff.values()) {
			add("hand-off " + handOff, statistics.handOffs.getOrDefault(handOff, 0));
		}
		statistics.losses.forEach((cause, number) -> add("loss " + cause, number));
	}

	private void add(String name, long number) {
		this.totals.merge(name, number, Long::sum);
	}

	private void printTotals() {
		if (ManagementFactory
			.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean processor) {
			add("processor ms", processor.getProcessCpuTime() / 1_000_000);
		}
		this.totals.forEach((name, number) -> this.out.println(TOTAL + name + "=" + number));
		this.out.flush();
	}

	/** A seed that does not end is a violation, too. */
	private void watch() {
		while (true) {
			try {
				Thread.sleep(1000);
			}
			catch (InterruptedException ex) {
				return;
			}
			long since = this.currentSince;
			if (since != Long.MAX_VALUE && System.nanoTime() - since > LONGEST_SEED.toNanos()) {
				this.out.println(VIOLATION + this.current + " " + ENDLESS + ": did not end within "
						+ LONGEST_SEED.toSeconds() + " s");
				this.out.flush();
				Runtime.getRuntime().halt(0);
			}
		}
	}

}
