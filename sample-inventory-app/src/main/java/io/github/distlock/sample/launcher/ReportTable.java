package io.github.distlock.sample.launcher;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The report for the eye: one line for each strategy.
 */
final class ReportTable {

	private static final List<String> HEAD = List.of("strategy", "orders", "sold", "stock left", "oversold",
			"lost updates", "numbers sold twice", "errors", "seconds", "orders per second");

	private ReportTable() {
	}

	static String of(Report report) {
		return TextTable.of(HEAD, Set.of("strategy"),
				report.runs().stream().map((run) -> cells(report.orders(), run)).toList());
	}

	private static List<String> cells(int orders, StrategyRun run) {
		return List.of(run.strategy(), String.valueOf(orders), String.valueOf(run.sold()),
				String.valueOf(run.stockLeft()), String.valueOf(run.oversold()), String.valueOf(run.lostUpdates()),
				String.valueOf(run.duplicates()), String.valueOf(run.errors()),
				String.format(Locale.ROOT, "%.2f", run.seconds()),
				String.format(Locale.ROOT, "%.0f", run.ordersPerSecond(orders)));
	}

}
