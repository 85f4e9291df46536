package io.github.distlock.operations;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.github.distlock.docs.Pages;

/**
 * The commands of the runbook, which tests run.
 */
public final class RunbookCommands {

	private static final Pattern INLINE = Pattern.compile("`([^`\n]+)`");

	private static final Pattern SQL = Pattern.compile("(?:SELECT|UPDATE|DELETE) ");

	private RunbookCommands() {
	}

	/**
	 * Return the lines of a program or language in a section, or in the whole page if the
	 * heading is empty: first those of the blocks of code, then those inside of text. A
	 * statement in SQL is one line, also if the page breaks it.
	 */
	public static List<String> lines(String heading, String... beginnings) {
		String text = OperationsFiles.text("runbook.md");
		if (!heading.isEmpty()) {
			int start = text.indexOf("\n### " + heading + "\n");
			if (start < 0) {
				throw new IllegalArgumentException("The runbook has no section " + heading);
			}
			text = text.substring(start + 1).split("\n#", 2)[0];
		}
		List<String> lines = new ArrayList<>();
		commands(text).forEach((line) -> add(lines, line, beginnings));
		INLINE.matcher(text).results().forEach((code) -> add(lines, code.group(1), beginnings));
		return lines;
	}

	private static List<String> commands(String text) {
		List<String> commands = new ArrayList<>();
		StringBuilder statement = new StringBuilder();
		for (String line : Pages.codeLines(text)) {
			statement.append(statement.isEmpty() ? "" : " ").append(line);
			if (!SQL.matcher(statement).lookingAt() || line.endsWith(";")) {
				commands.add(statement.toString());
				statement.setLength(0);
			}
		}
		return commands;
	}

	private static void add(List<String> lines, String line, String... beginnings) {
		for (String beginning : beginnings) {
			if (line.startsWith(beginning) && !line.equals(beginning) && !lines.contains(line)) {
				lines.add(line);
			}
		}
	}

}
