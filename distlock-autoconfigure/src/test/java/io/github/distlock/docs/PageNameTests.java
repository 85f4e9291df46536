package io.github.distlock.docs;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
import io.github.distlock.aop.AopMode;
import io.github.distlock.autoconfigure.Backend;
import io.github.distlock.autoconfigure.DistlockProperties;
import io.github.distlock.autoconfigure.RedlockStoreProperties;
import io.github.distlock.metrics.LockMeters;
import io.github.distlock.metrics.LockMetrics;
import io.github.distlock.observation.LockObservationDocumentation;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.registry.RegistrySnapshot.HoldSummary;
import io.github.distlock.test.DistlockTest;
import io.github.distlock.transaction.OnActiveTransaction;
import io.micrometer.common.docs.KeyName;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import jdk.jfr.Name;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.core.io.UrlResource;
import org.springframework.util.ClassUtils;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The properties, meters, observations and exceptions that the pages name between
 * backticks exist, and so do the properties of Spring Boot. The tables of
 * docs/reference.md have one row for each name of the library, with its type and default.
 * The descriptions of properties are those of the configuration metadata, which is
 * complete.
 */
class PageNameTests {

	private static final Pattern NAME = Pattern
		.compile("(?<![\\w./:-])distlock\\.[\\w<*-](?:[\\w.*<>\\[\\]-]*[\\w*>\\]])?");

	private static final Pattern OF_SPRING_BOOT = Pattern
		.compile("(?<![\\w./:@-])(?:spring|management|server|logging)\\.[a-z](?:[\\w.-]*\\w)?(?:\\.\\*)?");

	/** Properties of modules that are not on the class path of the tests. */
	private static final Set<String> OTHER_MODULES = Set.of("spring.klock.", "spring.liquibase.", "spring.reactor.",
			"management.tracing.", "management.otlp.", "management.opentelemetry.", "spring.security.",
			// Of Spring Framework, without metadata, and its file.
			"spring.aot.", "spring.properties");

	private static final Pattern OF_PROMETHEUS = Pattern.compile("\\bdistlock_[a-z_]+");

	private static final Pattern EXCEPTION = Pattern.compile("(?<![\\w.])[A-Z]\\w*Exception\\b");

	/** Properties of tests and of the build. */
	private static final Set<String> OF_THE_BUILD = Set.of("distlock.audit", "distlock.docs.write", "distlock.full",
			"distlock.jdk25", "distlock.lab.full", "distlock.installed", "distlock.lab.images", "distlock.previous",
			"distlock.version");

	/** Tables, which have names like those of Prometheus. */
	private static final Set<String> TABLES = Set.of("distlock_lock", "distlock_instance", "distlock_fence");

	/** Exceptions of libraries that are not on the class path. */
	private static final Set<String> OF_OTHER_LIBRARIES = Set.of("KlockTimeoutException", "LockFailureException",
			"LockOwnershipLostException");

	private static final List<String> PACKAGES = List.of("java.lang.", "java.util.", "java.util.concurrent.",
			"java.io.", "java.net.", "java.sql.", "org.springframework.dao.", "org.springframework.jdbc.",
			"org.springframework.transaction.", "org.springframework.web.server.", "org.springframework.data.redis.",
			"org.springframework.core.task.");

	private static final Set<String> names = new TreeSet<>();

	private static final Set<String> exceptions = new TreeSet<>();

	@BeforeAll
	static void collect() throws IOException {
		names.addAll(OF_THE_BUILD);
		metadata("properties").forEach((property) -> names.add(property.path("name").asString()));
		nodeProperties().forEach(names::add);
		for (LockMeters meter : LockMeters.values()) {
			names.add(meter.getName());
		}
		for (LockObservationDocumentation observation : LockObservationDocumentation.values()) {
			names.add(observation.getName());
			Stream.of(observation.getLowCardinalityKeyNames(), observation.getHighCardinalityKeyNames())
				.flatMap(Stream::of)
				.forEach((key) -> names.add(key.asString()));
		}
		names.addAll(Set.of(LockMdc.KEY, LockMdc.NAME));
		for (Class<?> event : ClassUtils.resolveClassName("io.github.distlock.engine.LockEvent", null)
			.getDeclaredClasses()) {
			Optional.ofNullable(event.getAnnotation(Name.class)).ifPresent((name) -> names.add(name.value()));
		}
		try (Stream<Path> sources = Files.walk(Path.of("src", "main", "java"))) {
			sources.map((file) -> file.getFileName().toString())
				.filter((name) -> name.endsWith("Exception.java"))
				.forEach((name) -> exceptions.add(name.replace(".java", "")));
		}
	}

	@Test
	void eachNameThatBeginsWithDistlockExists() {
		assertThat(unknown(NAME, PageNameTests::isKnown)).isEmpty();
	}

	@Test
	void eachPropertyOfSpringBootExists() {
		PropertyMetadata metadata = PropertyMetadata.read();
		assertThat(unknown(OF_SPRING_BOOT, (name) -> OTHER_MODULES.stream().anyMatch(name::startsWith)
				|| metadata.contains(name.replaceFirst("\\.\\*$", ""))))
			.isEmpty();
	}

	@Test
	void eachNameOfPrometheusExists() {
		Set<String> exposed = new TreeSet<>(exposed(allMeters()));
		assertThat(unknown(OF_PROMETHEUS,
				(name) -> TABLES.contains(name) || exposed.contains(name.replaceFirst("_(?:count|sum|bucket)$", ""))))
			.isEmpty();
	}

	@Test
	void eachExceptionExists() {
		assertThat(
				unknown(EXCEPTION,
						(name) -> exceptions.contains(name) || OF_OTHER_LIBRARIES.contains(name)
								|| PACKAGES.stream().anyMatch((start) -> ClassUtils.isPresent(start + name, null))))
			.isEmpty();
	}

	@Test
	void aNameWithAPlaceholderStandsForAProperty() {
		assertThat(isKnown("distlock.<backend>.enabled")).isTrue();
		assertThat(isKnown("distlock.handoff.*")).isTrue();
		assertThat(isKnown("distlock.redlock.nodes[0].host")).isTrue();
		assertThat(isKnown("distlock.wait-time")).isTrue();
		assertThat(isKnown("distlock.wait")).isFalse();
		assertThat(isKnown("distlock.<backend>.unknown")).isFalse();
		assertThat(isKnown("distlock.handover.*")).isFalse();
	}

	private static Set<String> unknown(Pattern pattern, Predicate<String> known) {
		Set<String> unknown = new TreeSet<>();
		for (String page : Pages.all()) {
			found(page, pattern).stream().filter(known.negate()).forEach((name) -> unknown.add(page + ": " + name));
		}
		return unknown;
	}

	private static boolean isKnown(String name) {
		Pattern form = Pattern.compile(Stream.of(name.replaceAll("\\[\\w*]", "[]").split("(?=[*<])|(?<=[*>])"))
			.map((part) -> part.matches("\\*|<.*>") ? ".+" : Pattern.quote(part))
			.reduce("", String::concat));
		return names.stream().anyMatch((known) -> form.matcher(known).matches());
	}

	private static Set<String> found(String page, Pattern pattern) {
		Set<String> found = new TreeSet<>();
		for (String code : Pages.inlineCode(page)) {
			for (Matcher name = pattern.matcher(code); name.find();) {
				found.add(name.group());
			}
		}
		return found;
	}

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
		List<String> expected = new ArrayList<>(metadata("properties").stream().map(PageNameTests::property).toList());
		assertThat(rows("## Properties", "Property", 4)).filteredOn((row) -> !row.contains("[]."))
			.map((row) -> row.split("<br>")[0])
			.containsExactlyInAnyOrderElementsOf(expected);
		assertThat(rows("### Redlock", "Property", 1)).filteredOn((row) -> row.contains("[]."))
			.containsExactlyElementsOf(nodeProperties().map(PageNameTests::code).toList());
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
		PrometheusMeterRegistry registry = allMeters();
		List<String> exposed = exposed(registry);
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
			.containsExactlyInAnyOrderElementsOf(names.map(PageNameTests::code).toList());
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
		return names.map(PageNameTests::code).collect(Collectors.joining(", "));
	}

	/** Return a list of the configuration metadata, which is the help of an IDE. */
	private static List<JsonNode> metadata(String list) throws IOException {
		// Many jars contain such a file: read the one next to the classes of this module.
		var classes = DistlockProperties.class.getProtectionDomain().getCodeSource().getLocation();
		return JsonMapper.shared()
			.readTree(
					new UrlResource(classes + "META-INF/spring-configuration-metadata.json").getContentAsString(UTF_8))
			.path(list)
			.valueStream()
			.toList();
	}

	/** Optional properties. */
	private static final Set<String> WITHOUT_DEFAULT = Set.of("distlock.composite", "distlock.max-hold-time",
			"distlock.redis.connection-factory", "distlock.aop.executor", "distlock.jdbc.data-source",
			"distlock.redlock.nodes", "distlock.zookeeper.connect-string", "distlock.jdbc.schema",
			"distlock.max-waiting", "management.endpoint.distlocks.roles", "distlock.transaction.fence-managers");

	@Test
	void everyPropertyHasADescriptionAndADefault() throws IOException {
		assertThat(metadata("properties")).allSatisfy((property) -> {
			assertThat(property.path("description").asString("")).endsWith(".").hasSizeGreaterThan(10);
			assertThat(property.has("defaultValue") || WITHOUT_DEFAULT.contains(property.path("name").asString()))
				.as("default of %s", property.path("name"))
				.isTrue();
		});
	}

	@Test
	void everyHintIsForAnExistingProperty() throws IOException {
		assertThat(metadata("hints")).isNotEmpty()
			.extracting((hint) -> hint.path("name"))
			.isSubsetOf(metadata("properties").stream().map((property) -> property.path("name")).toList());
	}

	@Test
	void everyValueOfAnEnumIsDescribed() throws IOException {
		assertDescribed("distlock.backend", Backend.values());
		assertDescribed("distlock.on-lost", DistlockProperties.OnLost.values());
		assertDescribed("distlock.release", ReleaseMode.values());
		assertDescribed("management.endpoint.distlocks.show-values", Show.values());
		assertDescribed("distlock.aop.mode", AopMode.values());
		assertDescribed("distlock.transaction.on-active", OnActiveTransaction.values());
	}

	private static void assertDescribed(String property, Enum<?>... values) throws IOException {
		assertThat(metadata("hints")).filteredOn((hint) -> hint.path("name").asString().equals(property))
			.flatExtracting((hint) -> hint.path("values").valueStream().toList())
			.allSatisfy((value) -> assertThat(value.path("description").asString("")).isNotBlank())
			.extracting((value) -> value.path("value").asString())
			.containsExactlyElementsOf(
					Stream.of(values).map((value) -> value.name().toLowerCase(Locale.ROOT).replace('_', '-')).toList());
	}

	/**
	 * Return the properties of a node of Redlock, which the metadata does not contain.
	 */
	private static Stream<String> nodeProperties() {
		return Stream.of(RedlockStoreProperties.Node.class.getRecordComponents())
			.map((component) -> "distlock.redlock.nodes[]."
					+ component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
	}

	private static PrometheusMeterRegistry allMeters() {
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		LockMetrics metrics = new LockMetrics(registry);
		metrics.watchHolds("redis", () -> new HoldSummary(Map.of(), 0));
		metrics.expect("stock", "redis");
		metrics.watchFence(Map.of("passed", new AtomicLong()));
		return registry;
	}

	private static List<String> exposed(PrometheusMeterRegistry registry) {
		return registry.scrape()
			.lines()
			.filter((line) -> line.startsWith("# TYPE "))
			.map((line) -> line.split(" ")[2])
			.toList();
	}

}
