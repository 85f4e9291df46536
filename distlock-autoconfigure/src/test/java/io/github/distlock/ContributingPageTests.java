package io.github.distlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The classes and members that CONTRIBUTING.md names exist, and its picture shows the
 * table of {@link PackageDependencyTests}.
 */
class ContributingPageTests {

	private static final int MOST_BYTES = 9_000;

	private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]\\w+)(?:\\.\\w+)?`");

	private static final Pattern MEMBER = Pattern.compile("(?<![\\w.-])([A-Z][a-z]\\w+)\\.([a-z]\\w+)\\b");

	private static final Pattern NODE = Pattern.compile("(?m)^ +(\\w+)\\[\"(.+?)<br/>");

	private static final Pattern ARROWS = Pattern.compile("(?m)^ +([\\w &]+) --> ([\\w &]+)$");

	private static String page = "";

	/** The source of each type of the repository, by its simple name. */
	private static Map<String, Path> types = Map.of();

	/** The packages that each node of the picture stands for. */
	private static Map<String, List<String>> nodes = Map.of();

	/** The nodes to which arrows lead from a node. */
	private static Map<String, Set<String>> arrows = Map.of();

	@BeforeAll
	static void readThePageAndTheSources() throws IOException {
		page = Files.readString(Path.of("..", "CONTRIBUTING.md"));
		types = new HashMap<>();
		for (String module : List.of("distlock-autoconfigure", "project/distlock-smoke", "sample-inventory-app",
				"distlock-lab")) {
			try (Stream<Path> sources = Files.walk(Path.of("..", module, "src"))) {
				sources.filter((path) -> path.toString().endsWith(".java"))
					.forEach((path) -> types.putIfAbsent(path.getFileName().toString().replace(".java", ""), path));
			}
		}
		nodes = NODE.matcher(page)
			.results()
			.collect(Collectors.toMap((node) -> node.group(1),
					(node) -> List.of(node.group(2).replace("(root)", "").split(", "))));
		arrows = new TreeMap<>();
		ARROWS.matcher(page).results().forEach(ContributingPageTests::addArrows);
	}

	private static void addArrows(MatchResult line) {
		for (String from : line.group(1).split(" & ")) {
			arrows.computeIfAbsent(from, (node) -> new TreeSet<>()).addAll(List.of(line.group(2).split(" & ")));
		}
	}

	@Test
	void everyTypeThatIsNamedExists() {
		assertThat(TYPE.matcher(page).results().map((found) -> found.group(1))).hasSizeGreaterThan(20)
			.filteredOn((type) -> !types.containsKey(type))
			.isEmpty();
	}

	@Test
	void everyMemberThatIsNamedExists() {
		assertThat(MEMBER.matcher(page).results()).hasSizeGreaterThan(20)
			.filteredOn((found) -> !members(found.group(1)).contains(found.group(2)))
			.extracting(MatchResult::group)
			.isEmpty();
	}

	/** The methods and fields that a type of the library declares. */
	private static Set<String> members(String type) {
		String source = types.getOrDefault(type, Path.of("")).toString().replace('\\', '/');
		String name = source.replaceFirst(".*/java/", "").replace(".java", "").replace('/', '.');
		if (!ClassUtils.isPresent(name, null)) {
			return Set.of();
		}
		Class<?> loaded = ClassUtils.resolveClassName(name, null);
		return Stream.concat(Arrays.stream(loaded.getDeclaredMethods()), Arrays.stream(loaded.getDeclaredFields()))
			.map((member) -> member.getName())
			.collect(Collectors.toSet());
	}

	@Test
	void eachArrowOfThePictureIsAllowed() {
		assertThat(arrows).hasSizeGreaterThan(10);
		arrows.forEach((from, targets) -> assertThat(targets).as("arrows from %s", from)
			.allMatch((to) -> mayUse(packages(from), packages(to))));
	}

	private static boolean mayUse(List<String> users, List<String> used) {
		return users.stream()
			.flatMap((user) -> PackageDependencyTests.MAY_USE.getOrDefault(user, Set.of()).stream())
			.anyMatch(used::contains);
	}

	@Test
	void eachAllowedUseIsInThePicture() {
		assertThat(nodes.values().stream().flatMap(List::stream))
			.containsExactlyInAnyOrderElementsOf(PackageDependencyTests.MAY_USE.keySet());
		PackageDependencyTests.MAY_USE
			.forEach((user, allowed) -> assertThat(reachable(node(user))).as("what arrows from %s lead to", user)
				.containsAll(allowed.stream().map(ContributingPageTests::node).toList()));
	}

	private static List<String> packages(String node) {
		return nodes.getOrDefault(node, List.of());
	}

	private static String node(String name) {
		return nodes.keySet().stream().filter((node) -> packages(node).contains(name)).findFirst().orElseThrow();
	}

	/** The node itself, and the nodes to which its arrows lead. */
	private static Set<String> reachable(String node) {
		Set<String> reached = new TreeSet<>(Set.of(node));
		arrows.getOrDefault(node, Set.of()).forEach((next) -> reached.addAll(reachable(next)));
		return reached;
	}

	@Test
	void thePageIsShort() {
		assertThat(page.length()).isLessThanOrEqualTo(MOST_BYTES);
	}

}
