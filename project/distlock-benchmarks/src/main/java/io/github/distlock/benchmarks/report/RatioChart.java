package io.github.distlock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A drawing of the paired ratios: a bar for each contender of each workload, with its
 * interval, on a logarithmic scale, since they range from a tenth to fifty.
 */
final class RatioChart {

	private static final int LEFT = 190;

	private static final int WIDTH = 560;

	private static final int BAR = 16;

	private static final int GAP = 6;

	private static final int HEAD = 26;

	private static final double LOWEST = 0.05;

	private static final double HIGHEST = 100;

	private static final double[] TICKS = { 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50 };

	private final Results results;

	private final StringBuilder body = new StringBuilder();

	private int y = GAP;

	RatioChart(Results results) {
		this.results = results;
	}

	/**
	 * Draw it.
	 * @return SVG
	 */
	String draw() {
		for (Chapter chapter : this.results.chapters()) {
			if (this.results.contenders(chapter).contains(chapter.reference())) {
				chapter(chapter);
			}
		}
		int height = this.y + GAP;
		String text = """
				<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">
				<rect width="100%%" height="100%%" fill="white"/>
				""".formatted(LEFT + WIDTH + 130, height);
		return text + this.body + "</svg>\n";
	}

	private void chapter(Chapter chapter) {
		this.y += HEAD;
		add("<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s: %s, times that of %s</text>", GAP, this.y - 9,
				chapter.id(), escaped(chapter.primary().title()), chapter.reference());
		List<String> contenders = new ArrayList<>(this.results.contenders(chapter));
		int bottom = this.y + contenders.size() * (BAR + GAP);
		for (double tick : TICKS) {
			add("<line x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$d\" y2=\"%3$d\" stroke=\"%4$s\"/>", x(tick), this.y - 4,
					bottom, (tick == 1) ? "#555" : "#ddd");
			add("<text x=\"%.1f\" y=\"%d\" fill=\"#777\" font-size=\"9\" text-anchor=\"middle\">%s</text>", x(tick),
					bottom + 8, (tick < 1) ? String.valueOf(tick) : String.valueOf((int) tick));
		}
		contenders.forEach((contender) -> bar(chapter, contender));
		this.y += HEAD / 2;
	}

	private void bar(Chapter chapter, String contender) {
		List<Double> ratios = this.results.ratios(chapter, contender);
		double median = Statistics.median(ratios);
		Statistics.Interval interval = Statistics.interval(ratios);
		double from = Math.min(x(1), x(median));
		int middle = this.y + BAR / 2;
		add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", LEFT - GAP, this.y + BAR - 4, contender);
		add("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", from, this.y,
				Math.max(1, Math.abs(x(median) - x(1))), BAR, contender.startsWith("distlock") ? "#2a7ab9" : "#b0b7bf");
		add("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%3$d\" y2=\"%3$d\" stroke=\"black\"/>", x(interval.low()),
				x(interval.high()), middle);
		add("<text x=\"%d\" y=\"%d\">%.2f [%.2f..%.2f]</text>", LEFT + WIDTH + GAP, this.y + BAR - 4, median,
				interval.low(), interval.high());
		this.y += BAR + GAP;
	}

	private static double x(double ratio) {
		double bounded = Math.max(LOWEST, Math.min(HIGHEST, ratio));
		return LEFT + WIDTH * Math.log(bounded / LOWEST) / Math.log(HIGHEST / LOWEST);
	}

	private static String escaped(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;");
	}

	private void add(String format, Object... values) {
		this.body.append(String.format(Locale.ROOT, format, values)).append('\n');
	}

}
