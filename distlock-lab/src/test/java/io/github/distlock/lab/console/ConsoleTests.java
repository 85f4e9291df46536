package io.github.distlock.lab.console;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lines and colours of the console.
 */
class ConsoleTests {

	private static final int SHOWN = 10;

	private static final int NOT_SHOWN = 11;

	private static final Path SCRIPT = Path.of("/usr/bin/script");

	private static final String JAVA = ProcessHandle.current().info().command().orElse("java");

	private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

	private final Console console = new Console(new PrintStream(this.printed, true, StandardCharsets.UTF_8), false);

	@Test
	void aLineThatIsTooLongContinuesIndentedOnTheNext() {
		this.console.line("  %s", "word ".repeat(50));
		List<String> lines = lines();
		assertThat(lines).hasSize(3).allMatch((line) -> line.length() <= 110);
		assertThat(lines.get(0)).startsWith("  word word").hasSizeGreaterThan(105);
		assertThat(lines.get(1)).startsWith("      word word");
		assertThat(String.join(" ", lines).split(" +")).hasSize(51);
	}

	@Test
	void aWordThatIsTooLongStaysWhole() {
		String path = "/" + "x".repeat(200);
		this.console.line("Written to %s today", path);
		assertThat(lines()).containsExactly("Written to", "    " + path, "    today");
	}

	@Test
	void emptyLinesAndShortLinesStayAsTheyAre() {
		this.console.line("%n  one  two%n");
		assertThat(lines()).containsExactly("", "  one  two");
	}

	@Test
	void coloursTakeNoColumns() {
		assertThat(Colour.columns(Colour.RED.paint("OVERSELLS"))).isEqualTo(9);
	}

	@Test
	void withoutATerminalThereAreNoColours() {
		assertThat(Colour.isShown(Map.of("TERM", "xterm"), null)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "xterm, '', true", "xterm, 1, false", "dumb, '', false" })
	void aTerminalHasColoursUnlessItCannotShowThemOrTheUserDeclinesThem(String term, String noColor, boolean shown)
			throws Exception {
		Assumptions.assumeTrue(canOpenTerminals(), SCRIPT + " opens no terminal here");
		String command = "%s -cp '%s' '%s'".formatted(JAVA, System.getProperty("java.class.path", ""),
				EndsWithWhetherColoursAreShown.class.getName());
		ProcessBuilder terminal = new ProcessBuilder(SCRIPT.toString(), "-qec", command, "/dev/null");
		terminal.environment().putAll(Map.of("TERM", term, "NO_COLOR", noColor));
		assertThat(status(terminal)).isEqualTo(shown ? SHOWN : NOT_SHOWN);
	}

	@Test
	void anOutputThatIsRedirectedHasNoColours() throws Exception {
		ProcessBuilder redirected = new ProcessBuilder(JAVA, "-cp", System.getProperty("java.class.path", ""),
				EndsWithWhetherColoursAreShown.class.getName());
		redirected.environment().put("TERM", "xterm");
		assertThat(status(redirected)).isEqualTo(NOT_SHOWN);
	}

	private static boolean canOpenTerminals() throws Exception {
		return Files.isExecutable(SCRIPT)
				&& status(new ProcessBuilder(SCRIPT.toString(), "-qec", "true", "/dev/null")) == 0;
	}

	private static int status(ProcessBuilder command) throws Exception {
		Process process = command.redirectErrorStream(true).start();
		process.getInputStream().transferTo(OutputStream.nullOutputStream());
		return process.waitFor();
	}

	private List<String> lines() {
		return this.printed.toString(StandardCharsets.UTF_8).lines().toList();
	}

	static final class EndsWithWhetherColoursAreShown {

		private EndsWithWhetherColoursAreShown() {
		}

		public static void main(String[] args) {
			System.exit(Colour.isShown(System.getenv(), System.console()) ? SHOWN : NOT_SHOWN);
		}

	}

}
