package io.github.distlock.sample.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The report for the eye: one line for each strategy, numbers to the right.
 */
final class ReportTable {

	private static final List<String> HEAD = List.of("strategy", "orders", "sold", "stock left", "oversold",
			"lost updates", "numbers sold twice", "errors", "seconds", "orders per second");

	private ReportTable() {
	}

	static String of(Report report) {
		List<List<String>> lines = new ArrayList<>();
		lines.add(HEAD);
		report.runs().forEach((run) -> lines.add(cells(report.orders(), run)));
		int[] widths = IntStream.range(0, HEAD.size())
			.map((column) -> lines.stream().mapToInt((line) -> line.get(column).length()).max().orElse(0))
			.toArray();
		List<String> text = new ArrayList<>(lines.stream().map((line) -> line(line, widths)).toList());
		text.add(1, IntStream.of(widths).mapToObj("-"::repeat).collect(Collectors.joining("  ")));
		return String.join(System.lineSeparator(), text);
	}

	private static List<String> cells(int orders, StrategyRun run) {
		double rate = (run.seconds() > 0) ? orders / run.seconds() : 0;
		return List.of(run.strategy(), String.valueOf(orders), String.valueOf(run.sold()),
				String.valueOf(run.stockLeft()), String.valueOf(run.oversold()), String.valueOf(run.lostUpdates()),
				String.valueOf(run.duplicates()), String.valueOf(run.errors()),
				String.format(Locale.ROOT, "%.2f", run.seconds()), String.format(Locale.ROOT, "%.0f", rate));
	}

	private static String line(List<String> cells, int[] widths) {
		return IntStream.range(0, cells.size())
			.mapToObj((column) -> pad(cells.get(column), widths[column], column == 0))
			.collect(Collectors.joining("  "))
			.stripTrailing();
	}

	private static String pad(String cell, int width, boolean left) {
		String space = " ".repeat(width - cell.length());
		return left ? cell + space : space + cell;
	}

}
