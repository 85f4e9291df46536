package io.github.distlock.sample.launcher;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lines and colours of the console.
 */
class ConsoleTests {

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

	private List<String> lines() {
		return this.printed.toString(StandardCharsets.UTF_8).lines().toList();
	}

}
