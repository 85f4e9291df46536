package io.github.distlock.sample.lab.launcher;

import java.util.List;

import tools.jackson.databind.json.JsonMapper;

/**
 * The result of the three usual strategies: without a lock, with the wrong lock, with the
 * right lock.
 *
 * @param orders orders of each strategy
 * @param stock units for sale in each strategy
 * @param nodes inventory nodes
 * @param runs one for each strategy
 */
record Report(int orders, int stock, int nodes, List<Figures> runs) implements Outcome {

	Report {
		runs = List.copyOf(runs);
	}

	/**
	 * Whether the distributed lock sold every unit once and the other strategies showed
	 * the bug.
	 */
	boolean provesTheLock() {
		return this.runs.stream()
			.allMatch((run) -> run.strategy().equals(Strategies.LOCKED) ? run.isRight(this.orders, this.stock)
					: run.showsBug());
	}

	@Override
	public boolean asExpected() {
		return provesTheLock();
	}

	@Override
	public String toJson() {
		return JsonMapper.builder().build().writeValueAsString(this);
	}

	@Override
	public String toTable(boolean coloured) {
		return ReportTable.of(this, coloured);
	}

	@Override
	public String conclusion() {
		return provesTheLock() ? """
				The distributed lock sold every ticket once; the two others sold tickets twice.
				Now try --strategies=all, or --fault=crash: a node crashes while it holds the lock."""
				: "NOT as expected: the lock must sell every ticket once, and the two others must show the bug.";
	}

	/**
	 * Return the figures as the result of a trial without a fault.
	 */
	TrialResult result(Figures run) {
		return new TrialResult(Strategies.of(run.strategy()), Fault.NONE, run, 0, true);
	}

}
