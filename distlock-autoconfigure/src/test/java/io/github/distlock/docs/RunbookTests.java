package io.github.distlock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.operations.OperationsFiles;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The runbook describes each message of the library that an operator may see, and its
 * links lead somewhere.
 */
class RunbookTests {

	private static final Path SOURCES = Path.of("src/main/java/io/github/distlock");

	/** A log statement, or an exception for callers, up to the end of the statement. */
	private static final Pattern MESSAGE = Pattern.compile(
			"(?:\\.(?:info|warn|error)" + "|new (?:StartUp|Lock(?:NotAcquired|Lost|Backend))Exception)\\((.*?)\\);",
			Pattern.DOTALL);

	/** Words of its own, and then the whole message of an exception. */
	private static final Pattern REPEATED = Pattern
		.compile("(?:logger\\.\\w+|new (?:StartUp|LockBackend|StoreUnusable)Exception)\\(\\s*\"[^;]*?[:.] \""
				+ "\\s*\\+ (?:\\w+\\.getMessage\\(\\)|(?:\\w+\\.)*explain\\(\\w+\\))");

	private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

	/** Texts that are too short to be found. */
	private static final int TOO_SHORT = 8;

	/** How much of a message the page repeats at least. */
	private static final int BEGINNING = 30;

	private static String page = "";

	@BeforeAll
	static void readThePage() {
		page = OperationsFiles.text("runbook.md").replaceAll("\\s+", " ");
	}

	@Test
	void eachMessageOfTheLibraryIsOnThePage() throws IOException {
		Map<String, String> messages = messages();
		assertThat(messages).hasSizeGreaterThan(60);
		messages.keySet().removeIf(page::contains);
		assertThat(messages).as("Messages that docs/operations/runbook.md does not describe").isEmpty();
	}

	/** The reader of a log sees the beginning of a line. */
	@Test
	void aMessageThatRepeatsAnotherBeginsWithIt() throws IOException {
		List<String> late = new ArrayList<>();
		try (Stream<Path> sources = Files.walk(SOURCES)) {
			for (Path source : sources.filter((path) -> path.toString().endsWith(".java")).toList()) {
				REPEATED.matcher(Files.readString(source)).results().map(MatchResult::group).forEach(late::add);
			}
		}
		assertThat(late).isEmpty();
	}

	@Test
	void eachSectionOfAnAlertSaysSymptomMeaningWhatToCheckAndWhatToDo() {
		assertThat(OperationsFiles.rules()).allSatisfy((rule) -> {
			int start = page.indexOf("### " + rule.path("alert").asString() + " ");
			assertThat(start).isNotNegative();
			String section = page.substring(start).split(" #+ ", 2)[0];
			assertThat(section).contains("**Symptom:**", "**Meaning:**", "**Check:**", "**Do:**");
		});
	}

	@Test
	void noAnchorExistsTwice() {
		assertThat(MarkdownPage.of("docs/operations/runbook.md").anchors()).doesNotHaveDuplicates();
	}

	/** The beginning of the first text of each message, by file. */
	private static Map<String, String> messages() throws IOException {
		Map<String, String> messages = new TreeMap<>();
		try (Stream<Path> sources = Files.walk(SOURCES)) {
			for (Path source : sources.filter((path) -> path.toString().endsWith(".java")).toList()) {
				// The fakes of the test slice are no concern of operators.
				if (source.startsWith(SOURCES.resolve("test"))) {
					continue;
				}
				for (Matcher matcher = MESSAGE.matcher(Files.readString(source)); matcher.find();) {
					// Adjacent literals are one text.
					String arguments = matcher.group(1).replaceAll("\"\\s*\\+\\s*\"", "");
					LITERAL.matcher(arguments)
						.results()
						.map((literal) -> literal.group(1).replace("\\\"", "\"").strip())
						.filter((literal) -> literal.length() >= TOO_SHORT)
						.findFirst()
						.map((literal) -> literal.substring(0, Math.min(BEGINNING, literal.length())).strip())
						.ifPresent((literal) -> messages.put(literal, source.getFileName().toString()));
				}
			}
		}
		return messages;
	}

}
