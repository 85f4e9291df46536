package io.github.distlock.docs;

import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.docs.MarkdownPage.Heading;
import io.github.distlock.docs.MarkdownPage.Link;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A page in Chinese has the structure of its original.
 */
class LanguagePairTests {

	private static final String SUFFIX = ".zh-CN";

	static List<String> translations() {
		return Pages.all().stream().filter((page) -> page.endsWith(SUFFIX + ".md")).toList();
	}

	@Test
	void theReadmesTheAnnotationAndTheQuestionsAreTranslated() {
		assertThat(translations()).contains("README.zh-CN.md", "sample-inventory-app/README.zh-CN.md",
				"distlock-lab/README.zh-CN.md", "docs/annotation.zh-CN.md", "docs/faq.zh-CN.md");
	}

	@ParameterizedTest
	@MethodSource("translations")
	void headingsHaveTheSameLevelsInTheSameOrder(String page) {
		assertThat(levels(MarkdownPage.of(page))).containsExactlyElementsOf(levels(original(page)));
	}

	@ParameterizedTest
	@MethodSource("translations")
	void headingsBelowTheTitleAreTranslated(String page) {
		assertThat(MarkdownPage.of(page).headings()).filteredOn((heading) -> heading.level() > 1)
			.allMatch((heading) -> heading.text().codePoints().anyMatch(Character::isIdeographic));
	}

	@ParameterizedTest
	@MethodSource("translations")
	void blocksOfCodeAreEqualButForTheirComments(String page) {
		assertThat(code(MarkdownPage.of(page))).containsExactlyElementsOf(code(original(page)));
	}

	@ParameterizedTest
	@MethodSource("translations")
	void tablesHaveAsManyRowsAndColumns(String page) {
		assertThat(MarkdownPage.of(page).tables()).containsExactlyElementsOf(original(page).tables());
	}

	@ParameterizedTest
	@MethodSource("translations")
	void linksAndImagesLeadToTheSamePlaces(String page) {
		assertThat(targets(MarkdownPage.of(page))).containsExactlyInAnyOrderElementsOf(targets(original(page)));
	}

	private static MarkdownPage original(String page) {
		return MarkdownPage.of(withoutLanguage(page));
	}

	private static List<Integer> levels(MarkdownPage page) {
		return page.headings().stream().map(Heading::level).toList();
	}

	private static List<String> code(MarkdownPage page) {
		return page.blocks().stream().map((block) -> block.info() + "\n" + withoutComments(block.text())).toList();
	}

	private static String withoutComments(String code) {
		return code.replaceAll("(?s)/\\*.*?\\*/", "")
			.replaceAll("(?m)(^|\\s)\\s*(?://|#(?=\\s)).*$", "$1")
			.replaceAll("(?m)[ \\t]+$", "");
	}

	/**
	 * The places to which links lead. The language of a page does not count, and a
	 * heading is named by its number, since its anchor depends on the language.
	 */
	private static List<String> targets(MarkdownPage page) {
		return page.links().stream().flatMap(LanguagePairTests::target).toList();
	}

	private static Stream<String> target(Link link) {
		if (!link.isRelative()) {
			return Stream.of(link.target());
		}
		String place = withoutLanguage(link.file());
		if (link.anchor().isEmpty() || !link.file().endsWith(".md")) {
			return Stream.of(place);
		}
		return Stream.of(place + " heading " + MarkdownPage.of(link.file()).anchors().indexOf(link.anchor()));
	}

	private static String withoutLanguage(String file) {
		return file.replace(SUFFIX, "");
	}

}
