package io.github.distlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The classes and methods that the map for newcomers names exist.
 */
class ContributingPageTests {

	private static final Pattern PARTICIPANT = Pattern.compile("participant \\w+ as ([A-Z]\\w+)");

	private static final Pattern CODE = Pattern.compile("`([A-Z][a-z]\\w+)(?:\\.\\w+)?(?:\\(\\))?`");

	/** In code, and in the journeys. */
	private static final Pattern METHOD = Pattern.compile("(?<![\\w.])([A-Z][a-z]\\w+)\\.([a-z]\\w+)\\b");

	private static String page = "";

	private static Map<String, Path> types = Map.of();

	@BeforeAll
	static void readThePageAndTheSources() throws IOException {
		page = Files.readString(Path.of("..", "CONTRIBUTING.md"));
		types = new HashMap<>(sources(Path.of("src")));
		for (String module : List.of("sample-inventory-app", "distlock-lab", "distlock-benchmarks", "distlock-smoke",
				"distlock-spring-boot-starter-test")) {
			types.putAll(sources(Path.of("..", module, "src")));
		}
	}

	private static Map<String, Path> sources(Path folder) throws IOException {
		try (Stream<Path> sources = Files.walk(folder)) {
			return sources.filter((path) -> path.toString().endsWith(".java"))
				.collect(Collectors.toMap((path) -> path.getFileName().toString().replace(".java", ""),
						Function.identity(), (one, other) -> one));
		}
	}

	@Test
	void everyParticipantOfAJourneyIsAClass() {
		assertThat(names(PARTICIPANT)).isNotEmpty().isSubsetOf(types.keySet());
	}

	@Test
	void everyNameOfAClassInTheTextIsAClass() {
		assertThat(names(CODE)).isNotEmpty().isSubsetOf(types.keySet());
	}

	@Test
	void everyMethodThatIsNamedExistsInItsClass() throws IOException {
		List<String> missing = new ArrayList<>();
		int found = 0;
		for (Matcher matcher = METHOD.matcher(page); matcher.find();) {
			Path source = types.get(matcher.group(1));
			String member = matcher.group(2);
			if (source == null || member.equals("md") || member.equals("java")) {
				continue;
			}
			found++;
			if (!Pattern.compile("\\b" + member + "\\b").matcher(Files.readString(source)).find()) {
				missing.add(matcher.group());
			}
		}
		assertThat(found).isGreaterThan(10);
		assertThat(missing).isEmpty();
	}

	private static Set<String> names(Pattern pattern) {
		Set<String> names = new TreeSet<>();
		for (Matcher matcher = pattern.matcher(page); matcher.find();) {
			names.add(matcher.group(1));
		}
		return names;
	}

}
