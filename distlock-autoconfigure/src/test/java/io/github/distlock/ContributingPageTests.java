package io.github.distlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The classes that the map for newcomers names exist.
 */
class ContributingPageTests {

	private static final Pattern PARTICIPANT = Pattern.compile("participant \\w+ as ([A-Z]\\w+)");

	private static final Pattern CODE = Pattern.compile("`([A-Z][a-z]\\w+)(?:\\.\\w+)?(?:\\(\\))?`");

	private static String page = "";

	private static Set<String> types = Set.of();

	@BeforeAll
	static void readThePageAndTheSources() throws IOException {
		page = Files.readString(Path.of("..", "CONTRIBUTING.md"));
		types = new HashSet<>(sources(Path.of("src")));
		for (String module : List.of("sample-inventory-app", "distlock-benchmarks", "distlock-smoke",
				"distlock-spring-boot-starter-test")) {
			types.addAll(sources(Path.of("..", module, "src")));
		}
	}

	private static Set<String> sources(Path folder) throws IOException {
		try (Stream<Path> sources = Files.walk(folder)) {
			return sources.map((path) -> path.getFileName().toString())
				.filter((name) -> name.endsWith(".java"))
				.map((name) -> name.substring(0, name.length() - ".java".length()))
				.collect(Collectors.toSet());
		}
	}

	@Test
	void everyParticipantOfAJourneyIsAClass() {
		assertThat(names(PARTICIPANT)).isNotEmpty().isSubsetOf(types);
	}

	@Test
	void everyNameOfAClassInTheTextIsAClass() {
		assertThat(names(CODE)).isNotEmpty().isSubsetOf(types);
	}

	private static Set<String> names(Pattern pattern) {
		Set<String> names = new TreeSet<>();
		for (Matcher matcher = pattern.matcher(page); matcher.find();) {
			names.add(matcher.group(1));
		}
		return names;
	}

}
