package io.github.distlock.lab.console;

import java.util.Map;
import java.util.regex.Pattern;

import io.github.distlock.lab.runs.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * The colours of the console, as ANSI escape sequences.
 */
public enum Colour {

	/** As it should be. */
	GREEN(32),

	/** Wrong. */
	RED(31),

	/** Without progress. */
	YELLOW(33);

	private static final Pattern SEQUENCE = Pattern.compile("\u001B\\[\\d+m");

	private final int code;

	Colour(int code) {
		this.code = code;
	}

	/**
	 * Colour a text.
	 * @param text the text
	 * @return the text between the sequence of this colour and the one that ends it
	 */
	String paint(String text) {
		return "\u001B[%dm%s\u001B[0m".formatted(this.code, text);
	}

	/**
	 * Return the text of a verdict.
	 * @param verdict the verdict
	 * @param coloured whether the text has a colour
	 */
	static String text(Verdict verdict, boolean coloured) {
		Colour colour = switch (verdict) {
			case HOLDS -> GREEN;
			case BLOCKS -> YELLOW;
			case OVERSELLS, FAILS -> RED;
		};
		return coloured ? colour.paint(verdict.toString()) : verdict.toString();
	}

	/**
	 * Return the columns that a text takes on a terminal.
	 * @param text a text, which may be coloured
	 */
	static int columns(String text) {
		return SEQUENCE.matcher(text).replaceAll("").length();
	}

	/**
	 * Return whether the standard output shows colours: it is a terminal that can, and
	 * the user has not declined them with {@code NO_COLOR}.
	 * @param environment the environment variables
	 * @param console the console of this JVM, or {@code null}
	 */
	public static boolean isShown(Map<String, String> environment, java.io.@Nullable Console console) {
		return environment.getOrDefault("NO_COLOR", "").isEmpty()
				&& !environment.getOrDefault("TERM", "").equals("dumb") && console != null && isTerminal(console);
	}

	/** From Java 22 on there may be a console that is no terminal. */
	private static boolean isTerminal(java.io.Console console) {
		try {
			return (boolean) java.io.Console.class.getMethod("isTerminal").invoke(console);
		}
		catch (ReflectiveOperationException ex) {
			return true;
		}
	}

}
