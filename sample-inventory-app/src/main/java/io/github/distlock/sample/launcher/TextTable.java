package io.github.distlock.sample.launcher;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Lines of cells as text: a head, a rule, numbers to the right.
 */
final class TextTable {

	private TextTable() {
	}

	/**
	 * Lay a table out.
	 * @param head the columns' names
	 * @param left the columns that are text
	 * @param lines as many cells as there are columns, each
	 * @return the table
	 */
	static String of(List<String> head, Set<String> left, List<List<String>> lines) {
		List<List<String>> all = new ArrayList<>(List.of(head));
		all.addAll(lines);
		int[] widths = IntStream.range(0, head.size())
			.map((column) -> all.stream().mapToInt((line) -> line.get(column).length()).max().orElse(0))
			.toArray();
		List<String> text = new ArrayList<>();
		for (List<String> line : all) {
			text.add(IntStream.range(0, head.size())
				.mapToObj((column) -> pad(line.get(column), widths[column], left.contains(head.get(column))))
				.collect(Collectors.joining("  "))
				.stripTrailing());
		}
		text.add(1, IntStream.of(widths).mapToObj("-"::repeat).collect(Collectors.joining("  ")));
		return String.join(System.lineSeparator(), text);
	}

	private static String pad(String cell, int width, boolean left) {
		String space = " ".repeat(width - cell.length());
		return left ? cell + space : space + cell;
	}

}
