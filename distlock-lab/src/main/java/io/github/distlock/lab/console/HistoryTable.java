package io.github.distlock.lab.console;

import java.util.List;

import io.github.distlock.lab.console.TextTable.Column;
import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.TrialResult;

/**
 * The history as a table: one row for each strategy and fault, and below it the reason of
 * its verdict.
 */
final class HistoryTable {

	private static final String ERRORS_OF_A_CRASH = """


			errors under crash: orders that were on the node when it crashed. They got no answer. No lock can
			prevent that, so they do not count against the strategy.""";

	private HistoryTable() {
	}

	/**
	 * Lay a history out.
	 * @param history the history
	 * @param coloured whether verdicts have colours
	 * @return the lines
	 */
	static String of(History history, boolean coloured) {
		int orders = history.orders();
		int stock = history.stock();
		List<Column<TrialResult>> columns = List.of(Column.text("strategy", (trial) -> trial.figures().strategy()),
				Column.text("fault", (trial) -> trial.fault().option()),
				Column.text("verdict", (trial) -> Colour.text(trial.verdict(orders, stock), coloured)),
				Column.number("sold", (trial) -> trial.figures().sold()),
				Column.number("oversold", (trial) -> trial.figures().oversold()),
				Column.number("lost\nupdates", (trial) -> trial.figures().lostUpdates()),
				Column.number("numbers\nsold twice", (trial) -> trial.figures().duplicates()),
				Column.number("errors", (trial) -> trial.figures().errors()),
				Column.number("not\nserved", TrialResult::unserved), Column.number("orders\nper second",
						(trial) -> Math.round(trial.figures().ordersPerSecond(orders - trial.unserved()))));
		String table = new TextTable<>(columns, (trial) -> trial.why(orders, stock)).of(history.trials());
		boolean explained = history.trials()
			.stream()
			.anyMatch((trial) -> trial.fault() == Fault.CRASH && trial.figures().errors() > 0);
		return explained ? table + ERRORS_OF_A_CRASH.replace("\n", System.lineSeparator()) : table;
	}

}
