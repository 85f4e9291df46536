package io.github.distlock.api;

import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.github.distlock.docs.PropertyMetadata;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A configuration property does not vanish, and does not change its type or default,
 * without a commit that says so.
 */
class PropertyPromisesTests {

	@Test
	void thePropertiesAreThoseOfTheCommittedText() throws IOException {
		List<String> lines = PropertyMetadata.read()
			.properties()
			.values()
			.stream()
			.filter((property) -> property.path("sourceType").asString("").startsWith("io.github.distlock.")
					|| property.path("name").asString("").contains("distlock"))
			.map(PropertyPromisesTests::line)
			.toList();
		assertThat(lines).isNotEmpty();
		CommittedText.check("project/config/api/properties.txt", lines, PropertyPromisesTests.class);
	}

	private static String line(JsonNode property) {
		String type = property.path("type").asString("");
		JsonNode value = property.path("defaultValue");
		return property.path("name").asString() + ": " + type(type)
				+ (value.isMissingNode() ? "" : " = " + value.toString().replace("\"", ""))
				+ (property.path("deprecation").isMissingNode() ? "" : " (deprecated)");
	}

	/** Return a type, and the values of an enumeration instead of its name. */
	private static String type(String name) {
		if (ClassUtils.isPresent(name, null)) {
			Object[] constants = ClassUtils.resolveClassName(name, null).getEnumConstants();
			if (constants != null) {
				return Arrays.stream(constants)
					.map((constant) -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
					.sorted(Comparator.naturalOrder())
					.collect(Collectors.joining("|"));
			}
		}
		return name.replace("java.lang.", "").replace("java.time.", "").replace("java.util.", "");
	}

}
