package io.github.distlock.smoke;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The table of docs/compatibility.md between two comments. One row for each combination:
 * versions that differ only in the last number of Java or of the server are the same one.
 */
final class CompatibilityTable {

	private static final String BEGIN = "<!-- combinations -->\n";

	private static final String END = "<!-- end of combinations -->";

	/** Header and separator. */
	private static final int HEADER_LINES = 2;

	private static final Pattern NUMBER = Pattern.compile("\\d+");

	private final String before;

	private final List<String> lines;

	private final String after;

	private CompatibilityTable(String before, List<String> lines, String after) {
		this.before = before;
		this.lines = lines;
		this.after = after;
	}

	/** Read the table of a page. */
	static CompatibilityTable of(String page) {
		int begin = page.indexOf(BEGIN) + BEGIN.length();
		int end = page.indexOf(END);
		if (begin < BEGIN.length() || end < begin) {
			throw new IllegalArgumentException(
					"The page has no table between '" + BEGIN.strip() + "' and '" + END + "'");
		}
		return new CompatibilityTable(page.substring(0, begin),
				page.substring(begin, end).lines().filter((line) -> !line.isBlank()).toList(), page.substring(end));
	}

	/** Return the page with a row in the place of that of the same combination. */
	String with(CombinationRow row) {
		List<String> rows = new ArrayList<>(rows());
		rows.removeIf((other) -> key(other).equals(key(row.toString())));
		rows.add(row.toString());
		rows.sort(Comparator.comparing(CompatibilityTable::order));
		List<String> all = new ArrayList<>(this.lines.subList(0, HEADER_LINES));
		all.addAll(rows);
		return this.before + "\n" + String.join("\n", all) + "\n\n" + this.after;
	}

	/** Return the rows below the header. */
	List<String> rows() {
		return this.lines.subList(HEADER_LINES, this.lines.size());
	}

	static String key(String row) {
		List<String> cells = Arrays.stream(row.split("\\|")).map(String::strip).toList();
		String java = cells.get(2).replaceAll("\\..*", "");
		String driver = cells.get(4).replaceAll(" .*", "");
		String server = cells.get(5).replaceAll("(\\d+\\.\\d+).*", "$1");
		return String.join("|", cells.get(1), java, cells.get(3), driver, server);
	}

	/** Numbers are compared as numbers. */
	private static String order(String row) {
		return NUMBER.matcher(key(row)).replaceAll((number) -> "%6s".formatted(number.group()));
	}

}
