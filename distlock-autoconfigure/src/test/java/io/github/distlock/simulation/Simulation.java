package io.github.distlock.simulation;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static java.util.stream.Collectors.joining;

/** Runs one seed. */
final class Simulation {

	/** The property of a seed that ends with an exception of the simulation itself. */
	private static final String BROKEN = "broken";

	private Simulation() {
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
