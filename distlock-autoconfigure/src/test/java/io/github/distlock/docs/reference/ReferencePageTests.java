package io.github.distlock.docs.reference;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.DistributedLocks;
import io.github.distlock.HandOff;
import io.github.distlock.LockException;
import io.github.distlock.LockListener;
import io.github.distlock.LockMdc;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.github.distlock.LossCause;
import io.github.distlock.OnFailure;
import io.github.distlock.docs.Pages;
import io.github.distlock.metrics.LockMeters;
import io.github.distlock.observation.LockObservationDocumentation;
import io.github.distlock.test.DistlockTest;
import io.micrometer.common.docs.KeyName;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of docs/reference.md have one row for each name of the library, with its
 * type and default. The descriptions of properties are those of the metadata.
 */
class ReferencePageTests {

	private static final String PAGE = Pages.text("docs/reference.md");

	@ParameterizedTest
	@ValueSource(classes = { DistributedLock.class, DistributedLocks.class, DistlockTest.class })
	void attributes(Class<?> annotation) {
		assertThat(rows("### `@" + annotation.getSimpleName() + "`", "Attribute", 3))
			.containsExactlyInAnyOrderElementsOf(Stream.of(annotation.getDeclaredMethods())
				.map((attribute) -> row(code(attribute.getName()), code(attribute.getReturnType().getSimpleName()),
						defaultOf(attribute)))
				.toList());
	}

	private static String defaultOf(Method attribute) {
		Object value = attribute.getDefaultValue();
		if (value == null) {
			return "required";
		}
		if (value.getClass().isArray()) {
			return (Array.getLength(value) == 0) ? code("{}") : value.toString();
		}
		return code((value instanceof String) ? "\"" + value + "\"" : value);
	}

	@Test
	void properties() throws IOException {
		List<String> expected = new ArrayList<>(
				LibraryNames.properties().stream().map(ReferencePageTests::property).toList());
		assertThat(rows("## Properties", "Property", 4)).filteredOn((row) -> !row.contains("[]."))
			.map((row) -> row.split("<br>")[0])
			.containsExactlyInAnyOrderElementsOf(expected);
		assertThat(rows("### Redlock", "Property", 1)).filteredOn((row) -> row.contains("[]."))
			.containsExactlyElementsOf(LibraryNames.nodeProperties().map(ReferencePageTests::code).toList());
	}

	private static String property(JsonNode property) {
		JsonNode value = property.path("defaultValue");
		String type = property.path("type")
			.asString()
			.replaceAll("[a-z.]+\\.(?=[A-Z])", "")
			.replaceAll("\\w+\\$", "")
			.replace("Boolean", "boolean")
			.replace("Integer", "int");
		// The description is plain text, which can name other properties.
		String description = property.path("description")
			.asString()
			.replaceAll("(?<![`'\\w.])(?:distlock|spring|management)\\.[a-z.-]*[a-z]", "`$0`");
		return row(code(property.path("name").asString()), code(type),
				value.isMissingNode() ? "" : code(value.asString()), description);
	}

	@Test
	void meters() {
		PrometheusMeterRegistry registry = LibraryNames.meters();
		List<String> exposed = LibraryNames.exposed(registry);
		assertThat(rows("## Meters", "Meter", 5))
			.containsExactlyInAnyOrderElementsOf(Stream.of(LockMeters.values()).map((meter) -> {
				String unit = registry.get(meter.getName()).meter().getId().getBaseUnit();
				String name = meter.getName().replace('.', '_');
				return row(code(meter.getName()), meter.getType().name().toLowerCase(Locale.ROOT),
						(unit != null) ? unit : "", codes(Stream.of(meter.getKeyNames()).map(KeyName::asString)),
						codes(exposed.stream()
							.filter((other) -> other.matches(name + "(?:_seconds|_total|_max|_seconds_max)?"))));
			}).toList());
		assertNames("## Meters", "Tag", Stream.of(LockMeters.Tags.values()).map(KeyName::asString));
	}

	@Test
	void observations() {
		assertThat(rows("## Observations", "Observation", 2))
			.containsExactlyInAnyOrderElementsOf(Stream.of(LockObservationDocumentation.values())
				.map((each) -> row(code(each.getName()),
						codes(Stream.of(each.getEvents()).map((event) -> event.getName()))))
				.toList());
		assertNames("## Observations", "Event",
				Stream.of(LockObservationDocumentation.LockEvents.values()).map((event) -> event.getName()));
		assertNames("## Observations", "Key name",
				Stream
					.<KeyName>concat(Stream.of(LockObservationDocumentation.LowCardinalityKeyNames.values()),
							Stream.of(LockObservationDocumentation.HighCardinalityKeyNames.values()))
					.map(KeyName::asString));
		assertNames("## Entries of the MDC", "Entry", Stream.of(LockMdc.KEY, LockMdc.NAME));
	}

	@Test
	void detailsOfTheHealth() {
		assertNames("## Health", "Detail",
				Stream.of("location", "inbox", "watchdogLateness", "held", "waiting", "roundTrip"));
	}

	@Test
	void exceptionsAndCausesOfALoss() {
		assertThat(rows("## Exceptions", "Exception", 1)).contains(code("LockNotAcquiredException"))
			.allSatisfy((row) -> assertThat(LockException.class).isAssignableFrom(exception(row)));
		assertThat(rows("## Exceptions", "`LossCause`", 4)).map((row) -> row.split(" \\| "))
			.map((cells) -> row(cells[0], cells[1], cells[3]))
			.containsExactlyElementsOf(Stream.of(LossCause.values())
				.map((cause) -> row(code(cause.name()), cause.description(), cause.remedy() + "."))
				.toList());
	}

	private static Class<?> exception(String row) {
		String name = row.replace("`", "");
		return Stream.of("", "backend.")
			.filter((start) -> ClassUtils.isPresent("io.github.distlock." + start + name, null))
			.<Class<?>>map((start) -> ClassUtils.resolveClassName("io.github.distlock." + start + name, null))
			.findFirst()
			.orElseThrow();
	}

	@Test
	void eventsOfListeners() {
		assertThat(rows("## Events of locks", "Method", 2))
			.containsExactlyInAnyOrderElementsOf(Stream.of(LockListener.class.getDeclaredMethods())
				.filter((method) -> !method.isSynthetic() && method.getParameterCount() == 1)
				.map((method) -> row(code(method.getName()), code(method.getParameterTypes()[0].getSimpleName())))
				.toList());
		assertThat(rows("## Events of locks", "Event", 3))
			.containsExactlyInAnyOrderElementsOf(Stream.of(LockListener.class.getDeclaredClasses())
				.filter(Class::isRecord)
				.flatMap((event) -> Stream.of(event.getRecordComponents())
					.map((component) -> row(code(event.getSimpleName()), code(component.getName()),
							code(component.getType().getSimpleName()))))
				.toList());
	}

	@ParameterizedTest
	@ValueSource(classes = { OnFailure.class, LockMode.class, LockOutcome.class, HandOff.class })
	void enumerations(Class<? extends Enum<?>> type) {
		assertNames("### " + code(type.getSimpleName()), "Constant",
				Stream.of(type.getEnumConstants()).map((constant) -> constant.name()));
	}

	private static void assertNames(String section, String header, Stream<String> names) {
		assertThat(rows(section, header, 1))
			.containsExactlyInAnyOrderElementsOf(names.map(ReferencePageTests::code).toList());
	}

	/**
	 * The first cells of each row of the tables in a section that begin with a header.
	 */
	private static List<String> rows(String section, String header, int cells) {
		String level = section.substring(0, section.indexOf(' '));
		assertThat(PAGE).contains("\n" + section + "\n");
		String text = PAGE.substring(PAGE.indexOf("\n" + section + "\n") + 1 + section.length())
			.split("\n#{1," + level.length() + "} ")[0];
		List<String> rows = new ArrayList<>();
		boolean inTable = false;
		for (String line : text.lines().toList()) {
			if (line.startsWith("| " + header + " |")) {
				inTable = true;
			}
			else if (!line.startsWith("|")) {
				inTable = false;
			}
			else if (inTable && !line.startsWith("| ---")) {
				rows.add(Arrays.stream(line.substring(2, line.length() - 2).split(" \\| "))
					.limit(cells)
					.collect(Collectors.joining(" | ")));
			}
		}
		return rows;
	}

	private static String row(String... cells) {
		return String.join(" | ", cells);
	}

	private static String code(Object text) {
		return "`" + text + "`";
	}

	private static String codes(Stream<String> names) {
		return names.map(ReferencePageTests::code).collect(Collectors.joining(", "));
	}

}
