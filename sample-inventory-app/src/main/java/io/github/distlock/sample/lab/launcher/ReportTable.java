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
		List<Column<Figures>> columns = List.of(Column.text("strategy", Figures::strategy),
				Column.text("verdict",
						(run) -> report.result(run).verdict(report.orders(), report.stock()).text(coloured)),
				Column.number("sold", Figures::sold), Column.number("stock\nleft", Figures::stockLeft),
				Column.number("oversold", Figures::oversold), Column.number("lost\nupdates", Figures::lostUpdates),
				Column.number("numbers\nsold twice", Figures::duplicates), Column.number("errors", Figures::errors),
				new Column<>("seconds", false, (run) -> String.format(Locale.ROOT, "%.2f", run.seconds())),
				Column.number("orders\nper second", (run) -> Math.round(run.ordersPerSecond(report.orders()))));
		return new TextTable<>(columns, (run) -> report.result(run).why(report.orders(), report.stock()))
			.of(report.runs());
	}

}
