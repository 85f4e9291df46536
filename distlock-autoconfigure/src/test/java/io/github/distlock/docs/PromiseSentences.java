package io.github.distlock.docs;

import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the sentences that say what the start or a refused call does: on English pages
 * for users, in {@code llms.txt} and in the Javadoc of the public API.
 */
final class PromiseSentences {

	private static final String SUBJECT = "\\b(?:start-?up|(?:the|at|each) start|calls?|at call time, the method)\\b";

	private static final String VERB = "\\b(?:refuse[sd]?|reject(?:s|ed)?|fails?|throws?|thrown|warns?|warnings?)\\b";

	/** The words by which such a sentence is known. */
	private static final Pattern PROMISE = Pattern.compile(
			SUBJECT + "[^;:.|]*?" + VERB + "|" + VERB + "[^;:.|]*?\\b(?:start-?up|(?:the|at|each) start)\\b|" + VERB
					+ " (?:at|by|with)\\b[^;:.|]*?" + SUBJECT
					+ "|\\b(?:is|are|be|was) (?:refused|rejected)\\b|(?:does|do|can) ?not start\\b",
			Pattern.CASE_INSENSITIVE);

	private static final Pattern PARAGRAPH = Pattern.compile("\n\\s*\n|\n(?=\\s*(?:[-*|@#]|\\d+\\. ))|<(?:br|p|li)>");

	private static final Pattern END = Pattern.compile("(?<=[.!?;:])[*)]*\\s+(?=[A-Z`*\\[(\"@])");

	private static final Pattern PAGE = Pattern.compile("(?:docs/(?!maintainers/).*|README\\.md|llms\\.txt)");

	private static final Pattern TYPE = Pattern.compile("(?m)^io[.a-z]+\\.[A-Z]\\w*");

	private static final Pattern COMMENT = Pattern.compile("(?s)/\\*\\*(.*?)\\*/");

	private static final List<String> MODULES = List.of("distlock-autoconfigure", "distlock-spring-boot-starter-test");

	private PromiseSentences() {
	}

	/** Return the sentences, each after the name of its page or type and a colon. */
	static Stream<String> all() {
		Stream<String> pages = Stream.concat(Pages.all().stream(), Stream.of("llms.txt"))
			.filter((page) -> PAGE.matcher(page).matches() && !page.contains("zh-CN"))
			.flatMap((page) -> sentences(page, Pages.text(page).replaceAll("(?ms)^\\s*```.*?^\\s*```\\s*$", "\n\n")));
		Stream<String> types = TYPE.matcher(Pages.text("project/config/api/signatures.txt"))
			.results()
			.map((type) -> type.group().replace('.', '/') + ".java")
			.distinct()
			.flatMap((type) -> MODULES.stream().map((module) -> module + "/src/main/java/" + type))
			.filter((file) -> Files.exists(Pages.ROOT.resolve(file)))
			.flatMap((file) -> COMMENT.matcher(Pages.text(file))
				.results()
				.flatMap((comment) -> sentences(file, comment.group(1).replaceAll("\n\\s*\\* ?", "\n"))));
		return Stream.concat(pages, types);
	}

	private static Stream<String> sentences(String source, String text) {
		return PARAGRAPH.splitAsStream(text)
			.map(PromiseSentences::plain)
			.flatMap(END::splitAsStream)
			.filter((sentence) -> PROMISE.matcher(sentence).find())
			.map((sentence) -> source + ": " + sentence);
	}

	/** Without marks, in one line. */
	private static String plain(String paragraph) {
		return paragraph.strip()
			.replaceAll("\\s+", " ")
			.replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
			.replaceAll("\\{@\\w+ ([^{}]*)}", "$1")
			.replaceAll("[`*]|</?\\w+>", "");
	}

}
