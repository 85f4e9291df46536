package io.github.distlock.test.audit;

import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a statement does with which columns of which tables, as far as words show it. All
 * names are in lower case, without quotes and schema. Of tables that are separated by
 * commas after {@code FROM}, only the first is seen.
 *
 * @param kind what it does
 * @param tables the table that it writes, or those that it reads
 * @param written the columns that it sets to a value of its own
 * @param read all names in it, among them the columns that it reads
 * @param safe why it needs no lock although it writes, empty without such a reason
 */
record SqlStatement(SqlKind kind, Set<String> tables, Set<String> written, Set<String> read, String safe) {

	/** In place of the columns if they are not known. */
	private static final Set<String> ALL = Set.of("*");

	private static final Pattern COMMENT = Pattern.compile("--[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);

	private static final Pattern NAME = Pattern.compile("([a-z_]\\w*)");

	private static final Pattern WRITE = Pattern
		.compile("(?:insert(?: ignore)? into|update(?: only)?|delete from(?: only)?|merge into|replace into)"
				+ " (?:\\w+\\.)*(\\w+).*");

	private static final Pattern SOURCE = Pattern.compile("\\b(?:from|join) (?:\\w+\\.)*(\\w+)");

	/** What an update sets, and its condition. */
	private static final Pattern UPDATE = Pattern.compile(".* (?:set|key update) (.*?)(?: where (.*))?");

	private static final Pattern ASSIGNED = Pattern.compile("(\\w+) ?=");

	/** What an update sets relative to itself, or to the time. */
	private static final Pattern RELATIVE = Pattern
		.compile("(\\w+) ?= ?(?:\\(? ?(?:\\w+\\.)?\\1 ?[+-] ?(?:cast ?\\( ?)?(?:\\?|\\d|excluded\\.)"
				+ "|(?:now ?\\(|current_timestamp\\b|localtimestamp\\b|sysdate\\b))");

	private static final Pattern COMPARED = Pattern.compile("(\\w+) ?= ?[?\\d]");

	private static final Pattern EACH_COLUMN = Pattern.compile(".*(?:select|distinct|,|\\.) ?\\*.*");

	private static final Pattern ROW_LOCK = Pattern.compile(".*\\bfor (?:no key )?update\\b.*");

	static SqlStatement of(String sql) {
		String text = COMMENT.matcher(sql)
			.replaceAll(" ")
			.replaceAll("'(?:[^']|'')*'", "?")
			.replaceAll("[\"`]", "")
			.replaceAll("\\s+", " ")
			.strip()
			.toLowerCase(Locale.ROOT);
		Matcher write = WRITE.matcher(text);
		if (write.matches()) {
			return write(text, Set.of(write.group(1)));
		}
		if (!text.matches("(?:select|with|\\() ?.*") || text
			.matches("with .*\\b(?:returning\\b|(?<!for |key )update \\w|delete from|insert into|merge into).*")) {
			boolean writes = text.matches("(?:with|call|\\{|exec|do|truncate|insert|update|delete|merge|replace).*");
			return new SqlStatement(writes ? SqlKind.UNKNOWN : SqlKind.OTHER, Set.of(), Set.of(), Set.of(), "");
		}
		return new SqlStatement(ROW_LOCK.matcher(text).matches() ? SqlKind.LOCKING_READ : SqlKind.READ,
				all(SOURCE, text), Set.of(), EACH_COLUMN.matcher(text).matches() ? ALL : all(NAME, text), "");
	}

	private static SqlStatement write(String text, Set<String> table) {
		Matcher update = UPDATE.matcher(text);
		if (!update.matches()) {
			boolean inserts = text.startsWith("insert");
			boolean checks = text.matches("delete .* where .*version\\w* ?= ?[?\\d].*");
			return new SqlStatement(inserts ? SqlKind.INSERT : SqlKind.WRITE, table, ALL, all(NAME, text),
					inserts ? "inserts" : checks ? "checks a version" : "");
		}
		Set<String> assigned = all(ASSIGNED, update.group(1));
		Set<String> written = new HashSet<>(assigned.isEmpty() ? ALL : assigned);
		written.removeAll(all(RELATIVE, update.group(1)));
		String condition = (update.group(2) != null) ? update.group(2) : "";
		boolean checks = !condition.contains(" or ") && !Collections.disjoint(assigned, all(COMPARED, condition));
		return new SqlStatement(SqlKind.WRITE, table, written, all(NAME, text),
				checks ? "checks a version" : written.isEmpty() ? "adds to what is there or sets the time" : "");
	}

	private static Set<String> all(Pattern pattern, String text) {
		return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).collect(Collectors.toSet());
	}

	/** Whether this statement reads or writes a column that the other one writes. */
	boolean meets(SqlStatement write) {
		Set<String> columns = new HashSet<>(this.read);
		columns.addAll(this.written);
		return !Collections.disjoint(this.tables, write.tables) && !write.written.isEmpty() && (columns.contains("*")
				|| write.written.contains("*") || !Collections.disjoint(columns, write.written));
	}

	/**
	 * What a statement does.
	 */
	enum SqlKind {

		READ, LOCKING_READ, INSERT, WRITE, OTHER, UNKNOWN

	}

}
