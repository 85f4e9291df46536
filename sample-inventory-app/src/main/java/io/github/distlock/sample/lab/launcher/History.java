package io.github.distlock.sample.lab.launcher;

import java.util.List;
import java.util.Locale;

import tools.jackson.databind.json.JsonMapper;

/**
 * The result of the strategies and faults that the user chose.
 *
 * @param orders orders of each play
 * @param stock units for sale in each play
 * @param nodes inventory nodes
 * @param plays one for each strategy and fault
 */
record History(int orders, int stock, int nodes, List<Play> plays) implements Outcome {

	History {
		plays = List.copyOf(plays);
	}

	@Override
	public boolean asExpected() {
		return this.plays.stream().allMatch((play) -> play.isAsExpected(this.orders, this.stock));
	}

	@Override
	public String toJson() {
		return JsonMapper.builder()
			.build()
			.writeValueAsString(
					new Json(this.orders, this.stock, this.nodes, this.plays.stream().map(this::line).toList()));
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
		boolean unharmed = this.plays.stream().allMatch((play) -> play.fault() == Fault.NONE);
		return "Every strategy has the expected verdict."
				+ (unharmed ? " Now try --fault=crash: a node crashes while it holds the lock." : "");
	}

	private Line line(Play play) {
		StrategyRun run = play.run();
		return new Line(run.strategy(), play.fault().option(),
				play.verdict(this.orders, this.stock).name().toLowerCase(Locale.ROOT),
				play.isAsExpected(this.orders, this.stock), play.why(this.orders, this.stock), run.sold(),
				run.stockLeft(), run.oversold(), run.lostUpdates(), run.duplicates(), run.errors(), play.unserved(),
				run.seconds(), Math.round(run.ordersPerSecond(this.orders - play.unserved())));
	}

	private record Json(int orders, int stock, int nodes, List<Line> runs) {

	}

	private record Line(String strategy, String fault, String verdict, boolean expected, String why, long sold,
			long stockLeft, long oversold, long lostUpdates, long duplicates, long errors, long unserved,
			double seconds, long ordersPerSecond) {

	}

}
