package io.github.distlock.docs;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The documentation names the version of the build: a release whose pages tell the user
 * to add a snapshot cannot be corrected afterwards.
 */
class DocumentedVersionTests {

	private static final Pattern OF_BUILD = Pattern
		.compile("<artifactId>distlock-parent</artifactId>\\s*<version>([^<]+)</version>");

	private static final Pattern NAMED = Pattern
		.compile("<artifactId>distlock-[a-z-]+</artifactId>\\s*<version>([^<]+)</version>"
				+ "|distlock-[a-z-]+:(\\d[\\w.-]*\\w)|(\\d+\\.\\d+\\.\\d+-SNAPSHOT)");

	@Test
	void eachPageNamesTheVersionOfTheBuild() {
		String version = OF_BUILD.matcher(Pages.text("pom.xml"))
			.results()
			.map((found) -> found.group(1))
			.findFirst()
			.orElseThrow();
		List<String> pages = Stream.concat(Pages.all().stream(), Stream.of("llms.txt")).toList();
		List<String> named = pages.stream()
			.flatMap((page) -> versions(page).map((found) -> page + ": " + found))
			.toList();
		assertThat(named).hasSizeGreaterThan(5).allMatch((found) -> found.endsWith(": " + version));
	}

	private static Stream<String> versions(String page) {
		return NAMED.matcher(Pages.text(page)).results().map(DocumentedVersionTests::version);
	}

	private static String version(MatchResult found) {
		return Stream.of(1, 2, 3).map(found::group).filter((group) -> group != null).findFirst().orElseThrow();
	}

}
