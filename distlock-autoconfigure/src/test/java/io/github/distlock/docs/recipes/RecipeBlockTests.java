package io.github.distlock.docs.recipes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.docs.Pages;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Java blocks of the recipes are the code that the tests of this package run.
 */
class RecipeBlockTests {

	@Test
	void eachRecipeIsCodeOfThisPackage() throws IOException {
		String sources = sources();
		List<String> blocks = Pages.javaBlocks("docs/recipes.md");
		assertThat(blocks).hasSizeGreaterThan(8)
			.allSatisfy((block) -> assertThat(sources).contains(withoutLayout(block)));
	}

	@Test
	void theLocksForSpringIntegrationAreCodeOfThisPackage() throws IOException {
		assertThat(Pages.javaBlocks("docs/migration.md")).filteredOn((block) -> block.contains("integrationLocks"))
			.singleElement()
			.satisfies((block) -> assertThat(sources()).contains(withoutLayout(block)));
	}

	@Test
	void theConnectionFactoryForLocksIsCodeOfThisPackage() throws IOException {
		assertThat(Pages.javaBlocks("docs/redis-operations.md")).filteredOn((block) -> block.contains("lockRedis"))
			.singleElement()
			.satisfies((block) -> assertThat(sources()).contains(withoutLayout(block)));
	}

	private static String sources() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src/test/java/io/github/distlock/docs/recipes"))) {
			return files.filter((file) -> file.toString().endsWith(".java"))
				.sorted()
				.map(RecipeBlockTests::read)
				.map(RecipeBlockTests::withoutLayout)
				.collect(Collectors.joining("\n"));
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Pages have other indentation, and no imports where they are obvious. */
	private static String withoutLayout(String code) {
		return code.replaceAll("(?m)^import .*$", "").replaceAll("\\s", "");
	}

}
