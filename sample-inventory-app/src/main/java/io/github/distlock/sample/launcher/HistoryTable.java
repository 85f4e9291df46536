package io.github.distlock.sample.launcher;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The history for the eye: one line for each strategy and fault, with a verdict and the
 * reason.
 */
final class HistoryTable {

	private static final List<String> HEAD = List.of("strategy", "fault", "verdict", "sold", "oversold", "lost updates",
			"numbers sold twice", "errors", "not served", "orders per second", "why");

	private HistoryTable() {
	}

	static String of(History history) {
		return TextTable.of(HEAD, Set.of("strategy", "fault", "verdict", "why"),
				history.plays().stream().map((play) -> cells(history.orders(), history.stock(), play)).toList());
	}

	private static List<String> cells(int orders, int stock, Play play) {
		StrategyRun run = play.run();
		return List.of(run.strategy(), play.fault().option(), play.verdict(orders, stock).toString(),
				String.valueOf(run.sold()), String.valueOf(run.oversold()), String.valueOf(run.lostUpdates()),
				String.valueOf(run.duplicates()), String.valueOf(run.errors()), String.valueOf(play.unserved()),
				String.format(Locale.ROOT, "%.0f", run.ordersPerSecond(orders - play.unserved())),
				play.why(orders, stock));
	}

}
