package io.github.distlock.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.testing.ProjectFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.util.function.ThrowingFunction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A public signature does not change without a commit that says so, and a release uploads
 * the modules with a flattened POM, and no others.
 */
class PublicSignaturesTests {

	@Test
	void theSignaturesAreThoseOfTheCommittedText() throws IOException {
		List<String> lines = new ArrayList<>();
		PublicSignatures.PublishedTypes.api().forEach((type) -> lines.addAll(PublicSignatures.of(type)));
		CommittedText.check("project/config/api/signatures.txt", lines, PublicSignaturesTests.class);
	}

	@Test
	void theAnswersOfTheEndpointAreThoseOfTheCommittedText() throws IOException {
		List<String> lines = new ArrayList<>();
		PublicSignatures.PublishedTypes.answers().forEach((type) -> lines.addAll(PublicSignatures.ofAnswer(type)));
		CommittedText.check("project/config/api/endpoint.txt", lines, PublicSignaturesTests.class);
	}

	@Test
	void theNamesOfTheAutoConfigurationsAreThoseOfTheCommittedText() throws IOException {
		CommittedText.check("project/config/api/auto-configurations.txt",
				PublicSignatures.PublishedTypes.autoConfigurations(), PublicSignaturesTests.class);
	}

	@Test
	void aDifferenceIsReportedByNameWithTheCommandThatWritesTheFileAgain(@TempDir Path folder) throws IOException {
		Path file = Files.writeString(folder.resolve("signatures.txt"), "A.gone(): void\nA.stays(): void\n");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> CommittedText.compare(file, List.of("A.stays(): void", "A.added(): int"),
					PublicSignaturesTests.class))
			.withMessageContaining(
					"Removed or changed (docs/versioning.md says when that is allowed):\n  A.gone(): void\n")
			.withMessageContainingAll("New:\n  A.added(): int\n",
					"-Dtest=PublicSignaturesTests -Ddistlock.docs.write=true");
	}

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
			.map(ThrowingFunction.of(Files::readString))
			.filter((pom) -> pom.contains("<artifactId>distlock-parent<")
					|| pom.contains("<artifactId>distlock-smoke<"));
	}

	private static List<String> names(Pattern pattern, String text) {
		return pattern.matcher(text).results().map((MatchResult result) -> result.group(1)).toList();
	}

}
