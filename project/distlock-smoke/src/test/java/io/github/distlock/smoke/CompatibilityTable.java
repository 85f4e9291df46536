package io.github.distlock.smoke;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The table of docs/compatibility.md between two comments: a row for each version of
 * Spring Boot, Java, kind of threads and driver, a column for each server. Versions of
 * Java and of the driver that differ only in the last numbers share a row, those of a
 * server a column.
 */
final class CompatibilityTable {

	private static final String BEGIN = "<!-- combinations -->\n";

	private static final String END = "<!-- end of combinations -->";

	/** The columns before those of the servers. */
	private static final int KEY_COLUMNS = 4;

	private static final Pattern NUMBER = Pattern.compile("\\d+");

	private final String before;

	private final List<String> header;

	/** Each with as many cells as the header. */
	private final List<List<String>> rows;

	private final String after;

	private CompatibilityTable(String before, List<List<String>> table, String after) {
		this.before = before;
		this.header = new ArrayList<>(table.get(0));
		// The second line is the separator.
		this.rows = new ArrayList<>(table.subList(2, table.size()));
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
				page.substring(begin, end)
					.lines()
					.filter((line) -> !line.isBlank())
					.map(CompatibilityTable::cells)
					.toList(),
				page.substring(end));
	}

	private static List<String> cells(String line) {
		return Arrays.stream(line.substring(1).split("\\|", -1)).map(String::strip).toList().subList(0, columns(line));
	}

	private static int columns(String line) {
		return (int) line.chars().filter((character) -> character == '|').count() - 1;
	}

	/**
	 * Return the page with the result of a combination in the place of the former one.
	 */
	String with(Combination combination, String result) {
		String server = combination.server().replaceAll("(\\d+\\.\\d+).*", "$1");
		if (!this.header.contains(server)) {
			this.header.add(server);
		}
		List<String> row = new ArrayList<>(
				List.of(combination.springBoot(), combination.java(), combination.threads(), combination.driver()));
		this.rows.stream()
			.filter((other) -> key(other).equals(key(row)))
			.findFirst()
			.ifPresent((former) -> row.addAll(former.subList(KEY_COLUMNS, former.size())));
		while (row.size() < this.header.size()) {
			row.add("");
		}
		row.set(this.header.indexOf(server), result);
		this.rows.removeIf((other) -> key(other).equals(key(row)));
		this.rows.add(row);
		this.rows.sort(Comparator.comparing(CompatibilityTable::order));
		List<String> lines = new ArrayList<>(List.of(line(this.header), "|" + "---|".repeat(this.header.size())));
		this.rows.forEach((each) -> lines.add(line(each)));
		return this.before + "\n" + String.join("\n", lines) + "\n\n" + this.after;
	}

	private String line(List<String> cells) {
		List<String> all = new ArrayList<>(cells);
		while (all.size() < this.header.size()) {
			all.add("");
		}
		return "| " + String.join(" | ", all) + " |";
	}

	/** Return the result of a combination, empty if there is none. */
	String result(String key, String server) {
		return this.rows.stream()
			.filter((row) -> key(row).equals(key))
			.map((row) -> row.get(this.header.indexOf(server)))
			.findFirst()
			.orElse("");
	}

	/** Return the keys of the rows in their order. */
	List<String> keys() {
		return this.rows.stream().map(CompatibilityTable::key).toList();
	}

	private static String key(List<String> row) {
		return String.join("|", row.get(0), row.get(1).replaceAll("\\..*", ""), row.get(2),
				row.get(3).replaceAll(" .*", ""));
	}

	/** Numbers are compared as numbers. */
	private static String order(List<String> row) {
		return NUMBER.matcher(key(row)).replaceAll((number) -> "%6s".formatted(number.group()));
	}

}
