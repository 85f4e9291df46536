package io.github.distlock.docs;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages for users are short enough to be read and kept true.
 * <p>
 * What counts: the words of the README and of all pages of {@code docs}, with code and
 * tables. What does not count: pages for maintainers and of the project, which users of
 * the library do not need; translations; {@code llms.txt}, which repeats the map of the
 * documentation for machines; and what is generated, which tests compare with the code
 * word by word: the results of combinations in {@code compatibility.md}, and in
 * {@code reference.md} the rows of properties, of causes of a loss, and of components of
 * events.
 */
class PageLengthTests {

	private static final int MOST_WORDS = 53_390;

	private static final Pattern COMBINATIONS = Pattern
		.compile("(?s)<!-- combinations -->.*<!-- end of combinations -->");

	private static final Pattern GENERATED_ROWS = Pattern
		.compile("(?m)^\\| `(?:distlock|management)\\.[\\w.\\[\\]-]+` \\| `(?:boolean|int|[A-Z][\\w<>]*)` \\|.*$"
				+ "|(?s)(?<=\\n)\\| (?:`LossCause`|Event \\| Component) \\|.*?(?=\\n\\n)");

	@Test
	void thePagesForUsersStayWithinTheirWords() {
		Map<String, Integer> words = Stream
			.concat(Stream.of("README.md"), Pages.all().stream().filter((page) -> page.startsWith("docs/")))
			.filter((page) -> !page.matches("docs/(maintainers/.*|roadmap\\.md)") && !page.endsWith(".zh-CN.md"))
			.collect(Collectors.toMap((page) -> page, (page) -> words(page, Pages.text(page)), Integer::sum,
					TreeMap::new));
		assertThat(words.values().stream().mapToInt(Integer::intValue).sum()).as("words of %s", words)
			.isLessThanOrEqualTo(MOST_WORDS);
	}

	private static int words(String page, String text) {
		String written = switch (page) {
			case "docs/compatibility.md" -> COMBINATIONS.matcher(text).replaceAll("");
			case "docs/reference.md" -> GENERATED_ROWS.matcher(text).replaceAll("");
			default -> text;
		};
		return written.isBlank() ? 0 : written.strip().split("\\s+").length;
	}

}
