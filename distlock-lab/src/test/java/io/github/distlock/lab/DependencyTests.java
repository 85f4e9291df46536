package io.github.distlock.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the lab and its packages use.
 */
class DependencyTests {

	private static final Path SOURCES = Path.of("src/main/java/io/github/distlock/lab");

	private static final Pattern IMPORT = Pattern
		.compile("(?m)^import (?:static )?io\\.github\\.distlock\\.lab\\.([a-z]+)\\.");

	/** A package uses only those before it. */
	private static final List<String> PACKAGES = List.of("processes", "servers", "runs", "console", "records", "web",
			"page", "check");

	@Test
	void theLabKnowsNoTypeOfTheSampleAndDoesNotDependOnIt() throws IOException {
		assertThat(sources()).isNotEmpty()
			.allSatisfy((source) -> assertThat(read(source)).doesNotContain("distlock.sample."));
		assertThat(Files.readString(Path.of("pom.xml"))).doesNotContain("sample-inventory-app");
	}

	@Test
	void noPackageUsesOneThatComesAfterIt() throws IOException {
		List<String> upward = new ArrayList<>();
		for (Path source : sources()) {
			String own = String.valueOf(SOURCES.relativize(source).getName(0));
			Matcher used = IMPORT.matcher(read(source));
			while (used.find()) {
				assertThat(PACKAGES).contains(used.group(1));
				if (PACKAGES.contains(own) && PACKAGES.indexOf(used.group(1)) > PACKAGES.indexOf(own)) {
					upward.add(source + " uses " + used.group(1));
				}
			}
		}
		assertThat(upward).isEmpty();
	}

	private static List<Path> sources() throws IOException {
		try (Stream<Path> sources = Files.walk(SOURCES)) {
			return sources.filter((source) -> source.toString().endsWith(".java")).toList();
		}
	}

	private static String read(Path source) {
		try {
			return Files.readString(source);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
