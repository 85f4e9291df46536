package io.github.distlock.docs;

import java.net.URL;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.function.ThrowingSupplier;

/**
 * The configuration metadata of all jars on the class path, by the name of the property.
 */
public record PropertyMetadata(Map<String, JsonNode> properties) {

	private static final String FILE = "META-INF/spring-configuration-metadata.json";

	public static PropertyMetadata read() {
		return ThrowingSupplier.of(() -> {
			Map<String, JsonNode> properties = new TreeMap<>();
			for (URL file : Collections.list(ClassLoader.getSystemResources(FILE))) {
				try (var stream = file.openStream()) {
					JsonMapper.shared()
						.readTree(stream)
						.path("properties")
						.forEach((property) -> properties.put(property.path("name").asString(), property));
				}
			}
			return new PropertyMetadata(properties);
		}).get();
	}

	/**
	 * Find the property that a key in kebab case sets: of its name, or a list, a map or
	 * an object that contains it.
	 */
	Optional<JsonNode> find(String key) {
		for (String name = key; !name.isEmpty(); name = name.replaceFirst("(^|\\.)[^.]*$", "")) {
			JsonNode property = this.properties.get(name.replaceAll("\\[\\d+]", ""));
			if (property != null) {
				return (name.equals(key) || isContainer(property)) ? Optional.of(property) : Optional.empty();
			}
		}
		return Optional.empty();
	}

	/** Return whether a key is a property, or the beginning of the names of some. */
	public boolean contains(String key) {
		return find(key).isPresent()
				|| this.properties.keySet().stream().anyMatch((name) -> name.startsWith(key + "."));
	}

	private static boolean isContainer(JsonNode property) {
		String type = property.path("type").asString("");
		return type.startsWith("java.util.Map") || type.startsWith("java.util.List<io.github.distlock");
	}

	/** Return why a property must not be used, or {@code null}. */
	static @Nullable String deprecation(JsonNode property) {
		JsonNode deprecation = property.path("deprecation");
		return deprecation.isMissingNode() ? null : "is deprecated: " + deprecation.path("reason").asString("")
				+ deprecation.path("replacement").asString("");
	}

}
