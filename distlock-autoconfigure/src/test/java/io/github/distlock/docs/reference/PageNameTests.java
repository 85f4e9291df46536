package io.github.distlock.docs.reference;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.LockMdc;
import io.github.distlock.docs.Pages;
import io.github.distlock.docs.PropertyMetadata;
import io.github.distlock.metrics.LockMeters;
import io.github.distlock.observation.LockObservationDocumentation;
import jdk.jfr.Name;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The properties, meters, observations and exceptions that the pages name between
 * backticks exist, and so do the properties of Spring Boot.
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
		LibraryNames.properties().forEach((property) -> names.add(property.path("name").asString()));
		LibraryNames.nodeProperties().forEach(names::add);
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
		Set<String> exposed = new TreeSet<>(LibraryNames.exposed(LibraryNames.meters()));
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

}
