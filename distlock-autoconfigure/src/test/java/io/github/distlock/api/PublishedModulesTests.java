package io.github.distlock.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.testing.ProjectFiles;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a release uploads: the modules with a flattened POM, and no others.
 */
class PublishedModulesTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern ARTIFACT = Pattern.compile("</parent>\\s*<artifactId>([^<]+)<");

	private static final Pattern EXCLUDED = Pattern.compile("<excludeArtifact>([^<]+)<");

	@Test
	void eachModuleHasAFlattenedPomOrIsExcludedFromTheUpload() throws IOException {
		List<String> excluded = names(EXCLUDED, Files.readString(ROOT.resolve("pom.xml")));
		List<String> flattened = poms().filter((pom) -> pom.contains("<artifactId>flatten-maven-plugin<"))
			.flatMap((pom) -> names(ARTIFACT, pom).stream())
			.toList();
		assertThat(flattened).containsExactlyInAnyOrder("distlock-bom", "distlock-autoconfigure",
				"distlock-spring-boot-starter", "distlock-spring-boot-starter-test");
		assertThat(poms().flatMap((pom) -> names(ARTIFACT, pom).stream()))
			.filteredOn((artifact) -> !flattened.contains(artifact))
			.as("modules to add to excludeArtifacts of central-publishing-maven-plugin in pom.xml")
			.isSubsetOf(excluded);
		assertThat(excluded).contains("distlock-parent").doesNotContainAnyElementsOf(flattened);
	}

	/** Return the POMs of all modules, those of modules inside modules included. */
	private static Stream<String> poms() throws IOException {
		return ProjectFiles.matching((file) -> file.endsWith("pom.xml") && !file.toString().contains("target"))
			.stream()
			.map(PublishedModulesTests::read)
			.filter((pom) -> pom.contains("<artifactId>distlock-parent<")
					|| pom.contains("<artifactId>distlock-smoke<"));
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<String> names(Pattern pattern, String text) {
		return pattern.matcher(text).results().map((MatchResult result) -> result.group(1)).toList();
	}

}
