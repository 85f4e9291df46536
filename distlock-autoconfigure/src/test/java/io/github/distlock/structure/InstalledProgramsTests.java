package io.github.distlock.structure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.ProjectFiles;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Only {@link Installed} looks for programs that a machine may have, so that one switch
 * hides them all. Which part of the build does what: {@code spring-boot:run} ends with
 * the phase {@code test-compile}, and {@code -DskipTests} activates a profile.
 */
class InstalledProgramsTests {

	/** Programs that each machine of a test has, beside the JDK. */
	private static final Set<String> OF_THE_SYSTEM = Set.of("sh", "kill");

	private static final Pattern SEARCH = Pattern.compile("getenv\\(\\)?[^;]*\"PATH\"");

	/** Also through the enumeration of databases and the fixtures of servers. */
	private static final Pattern USE = Pattern
		.compile("Installed\\.\\w+\\.assume|mariaDb\\(\\)|\\bMARIADB\\b|\\(Database "
				+ "|RedisLocales\\.COLLATING|Jdk25\\.assume|RedisStore\\.(valkey|installed|collating)|Browser\\.start\\(");

	private static final Pattern STARTED = Pattern.compile("new ProcessBuilder\\(\\s*\"([^\"]+)\"");

	@Test
	void noOtherTestSearchesThePathOrStartsAProgramByItsName() throws IOException {
		List<String> found = new ArrayList<>();
		for (Path file : sources()) {
			String text = Files.readString(file);
			if (SEARCH.matcher(text).find()) {
				found.add(file + ": PATH");
			}
			STARTED.matcher(text)
				.results()
				.map((MatchResult started) -> started.group(1))
				.filter((program) -> !OF_THE_SYSTEM.contains(program))
				.forEach((program) -> found.add(file + ": " + program));
		}
		assertThat(found).isEmpty();
	}

	@Test
	void eachTestThatNeedsAProgramHasTheTagByWhichItIsSelected() throws IOException {
		List<Path> users = new ArrayList<>();
		for (Path file : sources()) {
			if (file.toString().endsWith("Tests.java") && USE.matcher(Files.readString(file)).find()) {
				users.add(file);
			}
		}
		assertThat(users).hasSizeGreaterThan(10)
			.allSatisfy((file) -> assertThat(file).content().contains("@Tag(Installed.TAG)"));
	}

	@Test
	void aHiddenProgramIsMissingAndItsTestIsSkipped() {
		assumeTrue(Installed.areHidden(), "Programs are hidden only with -Ddistlock.installed=false");
		assertThat(Installed.values()).allSatisfy((program) -> {
			assertThat(program.find()).isEmpty();
			assertThatExceptionOfType(TestAbortedException.class).isThrownBy(program::assume)
				.withMessageStartingWith(
						"Not installed, or hidden by -Ddistlock.installed=false: program " + program.program());
		});
	}

	/** The sources of all tests, except for this one. */
	private static List<Path> sources() throws IOException {
		return ProjectFiles.matching((file) -> file.toString().matches(".*/src/test/.*\\.java")
				&& !file.endsWith("InstalledProgramsTests.java"));
	}

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
