package io.github.distlock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One table for each workload.
 */
final class MarkdownReport {

	private final Results results;

	MarkdownReport(Results results) {
		this.results = results;
	}

	/**
	 * Write the report.
	 * @param notes what to know about the run
	 * @return Markdown
	 */
	String write(List<String> notes) {
		StringBuilder text = new StringBuilder("# Benchmarks\n\n");
		notes.forEach((note) -> text.append("- ").append(note).append('\n'));
		for (Chapter chapter : this.results.chapters()) {
			text.append("\n## ").append(chapter.id()).append("\n\n").append(chapter.description()).append("\n\n");
			table(text, chapter);
			this.results.absent(chapter.id())
				.forEach((contender, reason) -> text.append("\nNot measured: `%s`, %s\n".formatted(contender, reason)));
		}
		return text.toString();
	}

	private void table(StringBuilder text, Chapter chapter) {
		boolean compared = this.results.contenders(chapter).contains(chapter.reference());
		List<String> head = new ArrayList<>(List.of("contender", chapter.primary().title()));
		if (compared) {
			head.add("x " + chapter.reference());
			head.add("95 %");
		}
		chapter.columns().forEach((metric) -> head.add(metric.title()));
		row(text, head);
		text.append("|---").append("|--:".repeat(head.size() - 1)).append("|\n");
		for (String contender : this.results.contenders(chapter)) {
			List<String> cells = new ArrayList<>(List.of(contender, median(chapter, contender, chapter.primary())));
			if (compared) {
				List<Double> ratios = this.results.ratios(chapter, contender);
				Statistics.Interval interval = Statistics.interval(ratios);
				cells.add(String.format(Locale.ROOT, "%.2f", Statistics.median(ratios)));
				cells.add(String.format(Locale.ROOT, "%.2f..%.2f", interval.low(), interval.high()));
			}
			chapter.columns().forEach((metric) -> cells.add(summary(chapter, contender, metric)));
			row(text, cells);
		}
	}

	private static void row(StringBuilder text, List<String> cells) {
		text.append("| ").append(String.join(" | ", cells)).append(" |\n");
	}

	private String median(Chapter chapter, String contender, Metric metric) {
		return metric.format(Statistics.median(this.results.values(chapter, contender, metric)));
	}

	/**
	 * Of what must not happen at all, and of extremes, the median would hide the worst.
	 */
	private String summary(Chapter chapter, String contender, Metric metric) {
		List<Double> values = this.results.values(chapter, contender, metric);
		return switch (metric) {
			case LOST_UPDATES -> metric.format(values.stream().mapToDouble(Double::doubleValue).sum());
			case ACQUIRE_MAX, LATE_MAX -> metric.format(Statistics.quantile(values, 1));
			case EARLIEST -> metric.format(Statistics.quantile(values, 0));
			default -> median(chapter, contender, metric);
		};
	}

}
