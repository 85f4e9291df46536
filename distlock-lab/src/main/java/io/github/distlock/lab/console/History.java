package io.github.distlock.lab.console;

import java.util.List;
import java.util.Locale;

import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.Figures;
import io.github.distlock.lab.runs.TrialResult;
import tools.jackson.databind.json.JsonMapper;

/**
 * The result of the strategies and faults that the user chose.
 *
 * @param orders orders of each trial
 * @param stock units for sale in each trial
 * @param nodes inventory nodes
 * @param trials one for each strategy and fault
 */
public record History(int orders, int stock, int nodes, List<TrialResult> trials) implements Outcome {

	public History {
		trials = List.copyOf(trials);
	}

	@Override
	public boolean asExpected() {
		return this.trials.stream().allMatch((trial) -> trial.isAsExpected(this.orders, this.stock));
	}

	@Override
	public String toJson() {
		return JsonMapper.builder()
			.build()
			.writeValueAsString(
					new Json(this.orders, this.stock, this.nodes, this.trials.stream().map(this::line).toList()));
	}

	@Override
	public String toTable(boolean coloured) {
		return HistoryTable.of(this, coloured);
	}

	@Override
	public String conclusion() {
		if (!asExpected()) {
			return "NOT as expected: see the lines that say so.";
		}
		boolean unharmed = this.trials.stream().allMatch((trial) -> trial.fault() == Fault.NONE);
		return "Every strategy has the expected verdict."
				+ (unharmed ? " Now try --fault=crash: a node crashes while it holds the lock." : "");
	}

	private Line line(TrialResult trial) {
		Figures figures = trial.figures();
		return new Line(figures.strategy(), trial.fault().option(),
				trial.verdict(this.orders, this.stock).name().toLowerCase(Locale.ROOT),
				trial.isAsExpected(this.orders, this.stock), trial.why(this.orders, this.stock), figures.sold(),
				figures.stockLeft(), figures.oversold(), figures.lostUpdates(), figures.duplicates(), figures.errors(),
				trial.unserved(), figures.seconds(),
				Math.round(figures.ordersPerSecond(this.orders - trial.unserved())));
	}

	private record Json(int orders, int stock, int nodes, List<Line> runs) {

	}

	private record Line(String strategy, String fault, String verdict, boolean expected, String why, long sold,
			long stockLeft, long oversold, long lostUpdates, long duplicates, long errors, long unserved,
			double seconds, long ordersPerSecond) {

	}

}
