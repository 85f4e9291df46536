package io.github.distlock.sample.lab.launcher;

import java.util.List;
import java.util.Locale;

import io.github.distlock.sample.lab.launcher.TextTable.Column;

/**
 * The report as a table: one row for each strategy, and below it the reason of its
 * verdict.
 */
final class ReportTable {

	private ReportTable() {
	}

	/**
	 * Lay a report out.
	 * @param report the report
	 * @param coloured whether verdicts have colours
	 * @return the lines
	 */
	static String of(Report report, boolean coloured) {
		List<Column<StrategyRun>> columns = List.of(Column.text("strategy", StrategyRun::strategy),
				Column.text("verdict",
						(run) -> report.play(run).verdict(report.orders(), report.stock()).text(coloured)),
				Column.number("sold", StrategyRun::sold), Column.number("stock\nleft", StrategyRun::stockLeft),
				Column.number("oversold", StrategyRun::oversold),
				Column.number("lost\nupdates", StrategyRun::lostUpdates),
				Column.number("numbers\nsold twice", StrategyRun::duplicates),
				Column.number("errors", StrategyRun::errors),
				new Column<>("seconds", false, (run) -> String.format(Locale.ROOT, "%.2f", run.seconds())),
				Column.number("orders\nper second", (run) -> Math.round(run.ordersPerSecond(report.orders()))));
		return new TextTable<>(columns, (run) -> report.play(run).why(report.orders(), report.stock()))
			.of(report.runs());
	}

}
