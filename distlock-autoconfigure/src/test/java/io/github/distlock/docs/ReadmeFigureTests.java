package io.github.distlock.docs;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootVersion;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The figures of the README are those of the page on performance.
 */
class ReadmeFigureTests {

	private static final String PERFORMANCE = "docs/performance.md";

	private static final Pattern NUMBER = Pattern.compile("\\d+(?:,\\d{3})*(?:\\.\\d+)?");

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void theCommandsOfTheComparisonAreThoseThatWereCounted(String page) {
		for (String library : List.of("distlock", "Redisson", "Spring Integration", "lock4j")) {
			List<String> compared = row(Pages.text(page), "|---|---|--:|--:|---|---|", library);
			assertThat(compared.get(2)).as(library + ", uncontended")
				.isEqualTo(row(section("### Uncontended"), "|---|", library).get(4));
			BigDecimal contended = number(
					row(section("### One hot key, empty section"), "|---|", library).get(4).split("/")[1]);
			assertThat(number(compared.get(3))).as(library + ", contended")
				.isEqualByComparingTo(contended.multiply(BigDecimal.valueOf(1000)));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void theFiguresOfTheFirstFactAreThoseThatWereMeasured(String page) {
		String fact = Pages.text(page).lines().filter((line) -> line.startsWith("- **")).findFirst().orElseThrow();
		String section = section("### One hot key, section of 1 ms");
		List<String> ours = row(section, "|---|", "distlock");
		List<String> redisson = row(section, "|---|", "Redisson");
		String best = row(section("### One hot key, empty section"), "|---|", "distlock").get(2);
		assertThat(numbers(fact)).containsSubsequence(rounded(number(ours.get(1))),
				rounded(number(redisson.get(2)).divide(number(ours.get(2)), MathContext.DECIMAL32)),
				rounded(number(redisson.get(3)).divide(number(ours.get(3)), MathContext.DECIMAL32)),
				rounded(number(best)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void theVersionOfSpringBootIsThatOfTheBuild(String page) {
		assertThat(Pages.text(page)).contains("Spring Boot " + SpringBootVersion.getVersion());
	}

	private static BigDecimal rounded(BigDecimal figure) {
		return figure.round(new MathContext(2, RoundingMode.HALF_UP)).stripTrailingZeros();
	}

	private static String section(String heading) {
		String text = Pages.text(PERFORMANCE);
		int begin = text.indexOf(heading + "\n");
		assertThat(begin).as(heading).isPositive();
		int end = text.indexOf("\n### ", begin + 1);
		return text.substring(begin, (end < 0) ? text.length() : end);
	}

	/** The cells of the first row about a library, in the first table like that. */
	private static List<String> row(String text, String table, String library) {
		return text.substring(text.indexOf(table))
			.lines()
			.filter((line) -> line.startsWith("| " + library) || line.startsWith("| [" + library))
			.map((line) -> Arrays.stream(line.split("\\|")).skip(1).map(String::trim).toList())
			.findFirst()
			.orElseThrow();
	}

	private static BigDecimal number(String text) {
		return numbers(text).get(0);
	}

	private static List<BigDecimal> numbers(String text) {
		return NUMBER.matcher(text)
			.results()
			.map((found) -> new BigDecimal(found.group().replace(",", "")).stripTrailingZeros())
			.toList();
	}

}
