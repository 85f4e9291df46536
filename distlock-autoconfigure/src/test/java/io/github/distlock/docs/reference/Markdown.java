package io.github.distlock.docs.reference;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Text in Markdown that grows.
 */
final class Markdown {

	private final StringBuilder text = new StringBuilder();

	/** Add a paragraph, a heading or some paragraphs. */
	Markdown add(String paragraphs) {
		this.text.append(paragraphs.strip()).append("\n\n");
		return this;
	}

	/** Begin a table. */
	Markdown table(String... headings) {
		row(headings);
		return row(Arrays.stream(headings).map((heading) -> "---").toArray(String[]::new));
	}

	/** Add a row to the table. */
	Markdown row(String... cells) {
		this.text.append(Arrays.stream(cells)
			.map((cell) -> cell.strip().replace("|", "\\|").replaceAll("\n+", "<br>"))
			.collect(Collectors.joining(" | ", "| ", " |\n")));
		return this;
	}

	/** End the table. */
	Markdown end() {
		this.text.append('\n');
		return this;
	}

	/** Return a text as code. */
	static String code(Object text) {
		return "`" + text + "`";
	}

	@Override
	public String toString() {
		return this.text.toString().strip() + "\n";
	}

}
