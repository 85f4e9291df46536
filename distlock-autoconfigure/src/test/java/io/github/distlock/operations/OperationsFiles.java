package io.github.distlock.operations;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.docs.Pages;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files of docs/operations.
 */
public final class OperationsFiles {

	static final Path FOLDER = Path.of("..", "docs", "operations");

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private static final Pattern METRIC = Pattern.compile("\\bdistlock_[a-z_]+");

	private OperationsFiles() {
	}

	static String text(String file) {
		return Pages.text("docs/operations/" + file);
	}

	static JsonNode yaml(String file) {
		return JSON.valueToTree(new Yaml().load(text(file)));
	}

	static JsonNode dashboard() {
		return JSON.readTree(text("distlock-dashboard.json"));
	}

	static List<JsonNode> rules() {
		List<JsonNode> rules = new ArrayList<>();
		yaml("alerts.yaml").path("groups").forEach((group) -> group.path("rules").forEach(rules::add));
		return rules;
	}

	/** All panels of the dashboard, also those inside rows. */
	static List<JsonNode> panels() {
		List<JsonNode> panels = new ArrayList<>();
		for (JsonNode panel : dashboard().path("panels")) {
			panels.add(panel);
			panel.path("panels").forEach(panels::add);
		}
		return panels;
	}

	static List<String> queries() {
		List<String> queries = new ArrayList<>();
		rules().forEach((rule) -> queries.add(rule.path("expr").asString()));
		for (JsonNode panel : panels()) {
			panel.path("targets").forEach((target) -> queries.add(target.path("expr").asString()));
		}
		for (JsonNode variable : dashboard().path("templating").path("list")) {
			if (variable.path("type").asString().equals("query")) {
				queries.add(variable.path("query").path("query").asString());
			}
		}
		return queries;
	}

	static Set<String> metrics() {
		Set<String> metrics = new TreeSet<>();
		for (String query : queries()) {
			for (Matcher matcher = METRIC.matcher(query); matcher.find();) {
				metrics.add(matcher.group());
			}
		}
		return metrics;
	}

	private static final Pattern INLINE = Pattern.compile("`([^`\n]+)`");

	private static final Pattern SQL = Pattern.compile("(?:SELECT|UPDATE|DELETE) ");

	/**
	 * Return the lines of a program or language in a section, or in the whole page if the
	 * heading is empty: first those of the blocks of code, then those inside of text. A
	 * statement in SQL is one line, also if the page breaks it.
	 */
	public static List<String> commands(String heading, String... beginnings) {
		String text = text("runbook.md");
		if (!heading.isEmpty()) {
			int start = text.indexOf("\n### " + heading + "\n");
			if (start < 0) {
				throw new IllegalArgumentException("The runbook has no section " + heading);
			}
			text = text.substring(start + 1).split("\n#", 2)[0];
		}
		List<String> lines = new ArrayList<>();
		statements(text).forEach((line) -> add(lines, line, beginnings));
		INLINE.matcher(text).results().forEach((code) -> add(lines, code.group(1), beginnings));
		return lines;
	}

	private static List<String> statements(String text) {
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
