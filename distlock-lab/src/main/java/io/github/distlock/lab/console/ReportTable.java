package io.github.distlock.lab.console;

import java.util.List;
import java.util.Locale;

import io.github.distlock.lab.console.TextTable.Column;
import io.github.distlock.lab.runs.TrialResult;

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
		int orders = report.orders();
		int stock = report.stock();
		List<Column<TrialResult>> columns = List.of(Column.text("strategy", (trial) -> trial.figures().strategy()),
				Column.text("verdict", (trial) -> Colour.text(trial.verdict(orders, stock), coloured)),
				Column.number("sold", (trial) -> trial.figures().sold()),
				Column.number("stock\nleft", (trial) -> trial.figures().stockLeft()),
				Column.number("oversold", (trial) -> trial.figures().oversold()),
				Column.number("lost\nupdates", (trial) -> trial.figures().lostUpdates()),
				Column.number("numbers\nsold twice", (trial) -> trial.figures().duplicates()),
				Column.number("errors", (trial) -> trial.figures().errors()),
				new Column<>("seconds", false,
						(trial) -> String.format(Locale.ROOT, "%.2f", trial.figures().seconds())),
				Column.number("orders\nper second", (trial) -> Math.round(trial.figures().ordersPerSecond(orders))));
		return new TextTable<>(columns, (trial) -> trial.why(orders, stock)).of(report.trials());
	}

}
