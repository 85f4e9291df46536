package io.github.distlock.sample.lab.launcher;

import java.util.List;

import io.github.distlock.sample.lab.launcher.TextTable.Column;

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
		List<Column<Play>> columns = List.of(Column.text("strategy", (play) -> play.run().strategy()),
				Column.text("fault", (play) -> play.fault().option()),
				Column.text("verdict", (play) -> play.verdict(orders, stock).text(coloured)),
				Column.number("sold", (play) -> play.run().sold()),
				Column.number("oversold", (play) -> play.run().oversold()),
				Column.number("lost\nupdates", (play) -> play.run().lostUpdates()),
				Column.number("numbers\nsold twice", (play) -> play.run().duplicates()),
				Column.number("errors", (play) -> play.run().errors()), Column.number("not\nserved", Play::unserved),
				Column.number("orders\nper second",
						(play) -> Math.round(play.run().ordersPerSecond(orders - play.unserved()))));
		String table = new TextTable<>(columns, (play) -> play.why(orders, stock)).of(history.plays());
		boolean explained = history.plays()
			.stream()
			.anyMatch((play) -> play.fault() == Fault.CRASH && play.run().errors() > 0);
		return explained ? table + ERRORS_OF_A_CRASH.replace("\n", System.lineSeparator()) : table;
	}

}
