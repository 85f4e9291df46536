package io.github.distlock.structure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.github.distlock.testing.ProjectFiles;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which part of the build does what: {@code spring-boot:run} ends with the phase
 * {@code test-compile}, and {@code -DskipTests} activates a profile.
 */
class BuildPhasesTests {

	private static final Pattern LONGER = Pattern.compile("(?:named = |getBoolean\\()\"distlock\\.full\"");

	@Test
	void whatAUserInstallsOrStartsDoesNotCompileTestsOrCheckSources() throws IOException {
		String pom = Files.readString(Path.of("..", "pom.xml"));
		for (String execution : List.of("compile-tests", "format", "checkstyle")) {
			assertThat(pom).as("execution " + execution)
				.containsPattern("<id>" + execution + "</id>\\s*<phase>process-test-classes</phase>");
		}
		assertThat(Files.readString(Path.of("..", "project/distlock-kotlin-tests", "pom.xml")))
			.containsPattern("<phase>process-test-classes</phase>\\s*<goals>\\s*<goal>test-compile</goal>");
		assertThat(pom.substring(pom.indexOf("<id>without-tests</id>"), pom.indexOf("<id>comparison</id>"))).contains(
				"<name>skipTests</name>", "<maven.test.skip>true<", "<spring-javaformat.validate.skip>true<",
				"<checkstyle.skip>true<");
	}

	@Test
	void everyTestOfTheLongerChecksHasTheirTag() throws IOException {
		List<Path> longer = new ArrayList<>();
		for (Path file : ProjectFiles.matching((path) -> path.toString().matches(".*/src/test/.*Tests\\.java"))) {
			if (LONGER.matcher(Files.readString(file)).find()) {
				longer.add(file);
			}
		}
		assertThat(longer).hasSizeGreaterThan(3)
			.allSatisfy((file) -> assertThat(file).content().contains("@Tag(\"full\")"));
	}

}
