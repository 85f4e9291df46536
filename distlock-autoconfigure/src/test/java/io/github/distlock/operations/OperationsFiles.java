package io.github.distlock.operations;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.testing.Unchecked;
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

	public static String text(String file) {
		return Unchecked.call(() -> Files.readString(FOLDER.resolve(file)));
	}

	/** A file in YAML, as a tree. */
	static JsonNode yaml(String file) {
		return JSON.valueToTree(new Yaml().load(text(file)));
	}

	static JsonNode dashboard() {
		return JSON.readTree(text("distlock-dashboard.json"));
	}

	/** The rules of alerts.yaml. */
	public static List<JsonNode> rules() {
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

	/** All queries of rules, panels and variables. */
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

}
