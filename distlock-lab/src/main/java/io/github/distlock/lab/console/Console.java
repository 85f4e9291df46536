package io.github.distlock.lab.console;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * The output for the user, in lines of at most {@value #COLUMNS} columns. Only a word
 * that is longer, such as an address, makes a line longer. Safe for use by many threads.
 */
public final class Console {

	/** The longest line. */
	public static final int COLUMNS = 110;

	private final PrintStream out;

	private final boolean coloured;

	private final AtomicBoolean failed = new AtomicBoolean();

	/**
	 * Print to a stream.
	 * @param out the stream
	 * @param coloured whether it shows colours
	 */
	public Console(PrintStream out, boolean coloured) {
		this.out = out;
		this.coloured = coloured;
	}

	/**
	 * Return whether verdicts have colours.
	 */
	public boolean isColoured() {
		return this.coloured;
	}

	/**
	 * Print lines.
	 * @param format the lines, with the places of the values
	 * @param values the values
	 */
	public void line(String format, Object... values) {
		String text = format.formatted(values);
		this.out.println(text.lines().map(Console::wrap).collect(Collectors.joining(System.lineSeparator())));
		this.out.flush();
	}

	/**
	 * Print a part of a line, at once.
	 * @param text the part
	 */
	void part(String text) {
		this.out.print(text);
		this.out.flush();
	}

	/**
	 * Print why the demonstration fails. Only the first reason is printed: the others
	 * follow from it.
	 * @param message the reason
	 */
	public void failure(String message) {
		if (this.failed.compareAndSet(false, true)) {
			line("%n%s", message);
		}
	}

	/**
	 * Continue a line that is too long on the next ones, which are indented.
	 */
	private static String wrap(String line) {
		if (Colour.columns(line) <= COLUMNS) {
			return line;
		}
		int indent = line.length() - line.stripLeading().length();
		List<String> lines = new ArrayList<>();
		StringBuilder current = new StringBuilder(line.substring(0, indent));
		boolean isEmpty = true;
		for (String word : line.strip().split(" ")) {
			if (!isEmpty && Colour.columns(current + " " + word) > COLUMNS) {
				lines.add(current.toString());
				current = new StringBuilder(" ".repeat(indent + 4));
				isEmpty = true;
			}
			current.append(isEmpty ? "" : " ").append(word);
			isEmpty = false;
		}
		lines.add(current.toString());
		return String.join(System.lineSeparator(), lines);
	}

}
