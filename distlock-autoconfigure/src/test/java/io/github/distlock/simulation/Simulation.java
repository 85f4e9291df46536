package io.github.distlock.simulation;

import java.util.List;
import java.util.Map;

/** Runs one seed. */
final class Simulation {

	private Simulation() {
	}

	/** Live through one history. */
	static Result run(Plan plan, boolean traced) {
		return run(plan, traced, ServerScript::new);
	}

	/** Live through one history, with a server that may have a flaw. */
	static Result run(Plan plan, boolean traced, ServerScript.Factory scripts) {
		return run(new World(plan, traced, scripts, PromiseFlaw.NONE));
	}

	/** Live through one history in which something around the engine has a flaw. */
	static Result run(Plan plan, PromiseFlaw flaw) {
		return run(new World(plan, false, ServerScript::new, flaw));
	}

	private static Result run(World world) {
		world.run();
		return new Result(world.plan.seed(), world.trace.hash(), List.copyOf(world.violations), world.history.totals(),
				world.trace.lines());
	}

	/** What became of a seed, with its events if they were kept. */
	record Result(long seed, String hash, List<World.Violation> violations, Map<String, Long> totals,
			List<String> trace) {
	}

}
