package io.github.distlock.docs.reference;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A page of the documentation that is generated from the code and committed.
 */
final class GeneratedPage {

	/** With this property the tests write the pages instead of comparing them. */
	private static final String WRITE = "distlock.docs.write";

	private GeneratedPage() {
	}

	/** Return the command that writes a page again. */
	static String command(Class<?> test) {
		return "mvn -pl distlock-autoconfigure test -Dtest=" + test.getSimpleName() + " -D" + WRITE + "=true";
	}

	/**
	 * Compare a page with the code, or write it.
	 * @param page the page, relative to the root of the repository
	 * @param text its text according to the code
	 * @param test the test that calls
	 */
	static void check(String page, String text, Class<?> test) throws IOException {
		Path file = Path.of("..").resolve(page);
		if (Boolean.getBoolean(WRITE)) {
			Files.writeString(file, text);
		}
		compare(file, text, test);
	}

	/** Compare a file with its text according to the code. */
	static void compare(Path file, String text, Class<?> test) {
		assertThat(file)
			.as("The page differs from the code. If the code is right, write the page again: %s", command(test))
			.exists()
			.usingCharset(StandardCharsets.UTF_8)
			.hasContent(text);
	}

}
