package io.github.distlock.simulation;

import java.util.List;

/** Runs one seed. */
final class Simulation {

	private Simulation() {
	}

	/** Live through one history. */
	static Result run(Plan plan, boolean traced) {
		World world = new World(plan, traced);
		world.run();
		return new Result(plan.seed(), world.trace.hash(), List.copyOf(world.violations), world.history.statistics(),
				world.trace.lines());
	}

	/**
	 * What became of a seed.
	 *
	 * @param seed the seed
	 * @param hash the hash of its trace
	 * @param violations what must not have happened
	 * @param statistics what happened how often
	 * @param trace the events, if they were kept
	 */
	record Result(long seed, String hash, List<World.Violation> violations, Statistics statistics, List<String> trace) {
	}

}
