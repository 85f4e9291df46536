package io.github.distlock.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shop is the code of a user: it knows neither the lab nor the strategies.
 */
class ShopWordsTests {

	private static final Set<String> WORDS = Set.of("lab", "run", "trial", "strategy", "strategies", "record", "fault",
			"stay", "demo", "demonstration", "crash", "launcher");

	/** What Java and Spring need, and words that are not those of the lab. */
	private static final Pattern ALLOWED = Pattern.compile("record (?=[A-Z])|SpringApplication\\.run\\(");

	private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+");

	static List<Path> files() throws IOException {
		Path main = Path.of("src", "main");
		try (Stream<Path> sources = Files.list(main.resolve("java/io/github/distlock/sample/shop"))) {
			return Stream
				.concat(sources,
						Stream.of(main.resolve("resources/schema.sql"), main.resolve("resources/application.yml"),
								Path.of("src/test/java/io/github/distlock/sample/shop/ShopTests.java")))
				.sorted()
				.toList();
		}
	}

	@ParameterizedTest
	@MethodSource("files")
	void aFileOfTheShopHasNoWordOfTheLab(Path file) throws IOException {
		assertThat(words(Files.readString(file))).doesNotContainAnyElementsOf(WORDS);
	}

	@Test
	void theWordsOfNamesAreFound() {
		assertThat(words("runAll(); SKU_FAULTS; LabServer /* stays */ SpringApplication.run( record Sale"))
			.contains("run", "fault", "lab", "stay")
			.doesNotContain("record");
	}

	/** The words in lower case; those of names, too; without the s of a plural. */
	private static Set<String> words(String text) {
		Set<String> words = new TreeSet<>();
		WORD.matcher(ALLOWED.matcher(text).replaceAll("")).results().map(MatchResult::group).forEach((word) -> {
			String lower = word.toLowerCase(Locale.ROOT);
			words.add(lower);
			words.add(lower.replaceFirst("s$", ""));
		});
		return words;
	}

}
