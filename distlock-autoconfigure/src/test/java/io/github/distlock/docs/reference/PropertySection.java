package io.github.distlock.docs.reference;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import io.github.distlock.autoconfigure.DistlockProperties;
import io.github.distlock.autoconfigure.RedlockStoreProperties;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.io.UrlResource;
import org.springframework.util.ClassUtils;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The configuration properties.
 */
final class PropertySection {

	private static final String NODES = "distlock.redlock.nodes";

	private static final Map<String, String> TITLES = titles();

	/** A choice: the others have defaults that few applications change. */
	private static final List<String> MOST_OFTEN_SET = List.of("distlock.backend", "distlock.key-prefix",
			"distlock.wait-time", "distlock.lease-time", "distlock.shutdown-grace-period", "distlock.release",
			"distlock.handoff.keep", "distlock.fail-fast", "distlock.enabled", NODES, "distlock.jdbc.initialize-schema",
			"distlock.zookeeper.connect-string");

	private final SourceDocs docs;

	private final JsonNode metadata;

	PropertySection(SourceDocs docs) throws IOException {
		this.docs = docs;
		// Many jars contain such a file: read the one next to the classes of this module.
		var classes = DistlockProperties.class.getProtectionDomain().getCodeSource().getLocation();
		this.metadata = JsonMapper.shared()
			.readTree(
					new UrlResource(classes + "META-INF/spring-configuration-metadata.json").getContentAsString(UTF_8));
	}

	/** Return the names of all properties, also those of the elements of a list. */
	List<String> names() {
		List<String> names = new ArrayList<>();
		this.metadata.path("properties").forEach((property) -> names.add(property.path("name").asString()));
		for (var component : RedlockStoreProperties.Node.class.getRecordComponents()) {
			names.add(nodeProperty(component.getName()));
		}
		return names;
	}

	private static String nodeProperty(String component) {
		return NODES + "[]." + component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

	void write(Markdown page) {
		page.add("## Properties");
		page.add(
				"""
						Durations of distlock have a unit: `500ms`, `2s`, `1m` or `PT2S`; only `0` and `-1` need none. An invalid value
						fails the startup, with a message that names the property, the value and the remedy.""");
		writeMostOftenSet(page);
		Map<String, List<JsonNode>> groups = new LinkedHashMap<>();
		TITLES.keySet().forEach((group) -> groups.put(group, new ArrayList<>()));
		for (JsonNode property : this.metadata.path("properties")) {
			groups.computeIfAbsent(group(property.path("name").asString()), (missing) -> new ArrayList<>())
				.add(property);
		}
		groups.forEach((group, properties) -> {
			page.add("### " + TITLES.get(group));
			page.table("Property", "Type", "Default", "Description");
			properties.forEach((property) -> page.row(Markdown.code(property.path("name").asString()), type(property),
					defaultOf(property), text(property) + values(property)));
			if (group.equals("distlock.redlock")) {
				writeNode(page);
			}
			page.end();
		});
	}

	/** Each row has the first sentence only, and leads to the table with the rest. */
	private void writeMostOftenSet(Markdown page) {
		page.add("### The twelve that applications set most often");
		page.add("The tables after this one describe all properties in full, also these twelve.");
		page.table("Property", "Type", "Default", "Description");
		for (String name : MOST_OFTEN_SET) {
			JsonNode property = this.metadata.path("properties")
				.valueStream()
				.filter((candidate) -> candidate.path("name").asString().equals(name))
				.findFirst()
				.orElseThrow(() -> new IllegalStateException("No property " + name));
			String anchor = Objects.requireNonNull(TITLES.get(group(name))).toLowerCase(Locale.ROOT).replace(' ', '-');
			page.row("[" + Markdown.code(name) + "](#" + anchor + ")", type(property), defaultOf(property),
					SourceDocs.firstSentence(text(property)));
		}
		page.end();
	}

	/** Return the prefix of the section of a property. */
	private static String group(String name) {
		return TITLES.keySet()
			.stream()
			.filter((prefix) -> name.startsWith(prefix + "."))
			.max(Comparator.comparingInt(String::length))
			.orElseThrow(() -> new IllegalStateException("No section for the property " + name));
	}

	/** The metadata does not contain the properties of the elements of a list. */
	private void writeNode(Markdown page) {
		Map<String, String> defaults = Map.of("port", "6379", "database", "0", "ssl", "false");
		for (var component : RedlockStoreProperties.Node.class.getRecordComponents()) {
			String name = component.getName();
			page.row(Markdown.code(nodeProperty(name)), Markdown.code(component.getType().getSimpleName()),
					defaults.containsKey(name) ? Markdown.code(defaults.get(name)) : "",
					this.docs.component(RedlockStoreProperties.Node.class, name));
		}
	}

	/** The description is plain text, which can name other properties. */
	private static String text(JsonNode element) {
		return element.path("description")
			.asString()
			.replaceAll("(?<![`'\\w.])(?:distlock|spring|management)\\.[a-z.-]*[a-z]", "`$0`");
	}

	private static String type(JsonNode property) {
		String type = property.path("type")
			.asString()
			.replaceAll("[a-z.]+\\.(?=[A-Z])", "")
			.replaceAll("\\w+\\$", "")
			.replace("Boolean", "boolean")
			.replace("Integer", "int");
		return Markdown.code(type);
	}

	private static String defaultOf(JsonNode property) {
		JsonNode value = property.path("defaultValue");
		return value.isMissingNode() ? "" : Markdown.code(value.asString());
	}

	private String values(JsonNode property) {
		List<String> values = new ArrayList<>();
		for (JsonNode hint : this.metadata.path("hints")) {
			if (hint.path("name").equals(property.path("name"))) {
				hint.path("values")
					.forEach((value) -> values.add(Markdown.code(value.path("value").asString()) + ": " + text(value)));
			}
		}
		if (values.isEmpty()) {
			return constants(property);
		}
		return values.stream().map((value) -> "\n" + value).collect(Collectors.joining());
	}

	/** The values of an enum of Spring Boot, which the metadata does not describe. */
	private static String constants(JsonNode property) {
		String type = property.path("type").asString();
		if (type.contains("<") || !ClassUtils.resolveClassName(type, null).isEnum()) {
			return "";
		}
		return Arrays.stream(ClassUtils.resolveClassName(type, null).getEnumConstants())
			.map((constant) -> Markdown.code(constant.toString().toLowerCase(Locale.ROOT).replace('_', '-')))
			.collect(Collectors.joining(", ", "\nValues: ", "."));
	}

	private static Map<String, String> titles() {
		Map<String, String> titles = new LinkedHashMap<>();
		titles.put("distlock", "All stores");
		titles.put("distlock.aop", "Annotated methods");
		titles.put("distlock.transaction", "Transactions");
		titles.put("distlock.handoff", "Hand-off inside a JVM");
		titles.put("distlock.redis", "Redis");
		titles.put("distlock.redlock", "Redlock");
		titles.put("distlock.jdbc", "Database");
		titles.put("distlock.zookeeper", "ZooKeeper");
		titles.put("distlock.local", "Memory of the JVM");
		titles.put("distlock.observations", "Observations");
		titles.put("distlock.logging", "Logging");
		titles.put("management.endpoint.distlocks", "Actuator endpoint");
		titles.put("management.health.distlock", "Health");
		return titles;
	}

}
