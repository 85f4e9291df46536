package io.github.distlock.lab.console;

import java.util.List;

import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.Figures;
import io.github.distlock.lab.runs.TrialResult;
import io.github.distlock.lab.runs.Verdict;
import tools.jackson.databind.json.JsonMapper;

/**
 * The result of the usual strategies: without a lock, with the wrong lock, with the right
 * lock.
 *
 * @param orders orders of each strategy
 * @param stock units for sale in each strategy
 * @param nodes inventory nodes
 * @param trials one for each strategy, without a fault
 */
public record Report(int orders, int stock, int nodes, List<TrialResult> trials) implements Outcome {

	public Report {
		// A fault by hand does not change what is expected.
		trials = trials.stream()
			.map((trial) -> new TrialResult(trial.strategy(), Fault.NONE, trial.figures(), 0, true))
			.toList();
	}

	/**
	 * Whether the distributed lock sold every unit once and the other strategies showed
	 * the bug.
	 */
	boolean provesTheLock() {
		return this.trials.stream()
			.allMatch((trial) -> (trial.strategy().usual().verdict() == Verdict.HOLDS)
					? trial.figures().isRight(this.orders, this.stock) : trial.figures().showsBug());
	}

	@Override
	public boolean asExpected() {
		return provesTheLock();
	}

	@Override
	public String toJson() {
		return JsonMapper.builder()
			.build()
			.writeValueAsString(new Json(this.orders, this.stock, this.nodes,
					this.trials.stream().map(TrialResult::figures).toList()));
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

	private record Json(int orders, int stock, int nodes, List<Figures> runs) {

	}

}
