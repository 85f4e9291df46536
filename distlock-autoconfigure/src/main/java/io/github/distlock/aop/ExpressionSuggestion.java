package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Suggests an expression for a key that was written as plain text, such as
 * {@code stock-lock} or <code>stock-{#sku}</code>.
 */
final class ExpressionSuggestion {

	private static final Pattern TEXT = Pattern.compile("[\\w.:/ -]+");

	/** Words and arguments, with or without braces. */
	private static final Pattern TEMPLATE = Pattern.compile("(?:[\\w.:/ -]|#?\\{#[\\w.]+}|#[\\w.]+)+");

	private static final Pattern ARGUMENT = Pattern.compile("#?\\{(#[\\w.]+)}|(#[\\w.]+)");

	private ExpressionSuggestion() {
	}

	/**
	 * Convert a text to the expression that was probably meant.
	 * @param written the text
	 * @return the expression, or {@code null} if the meaning is not clear
	 */
	static @Nullable String of(String written) {
		if (TEXT.matcher(written).matches()) {
			return "'" + written + "'";
		}
		if (!TEMPLATE.matcher(written).matches()) {
			return null;
		}
		List<String> parts = new ArrayList<>();
		int end = 0;
		for (Matcher argument = ARGUMENT.matcher(written); argument.find(); end = argument.end()) {
			addText(parts, written.substring(end, argument.start()));
			parts.add((argument.group(1) != null) ? argument.group(1) : argument.group(2));
		}
		addText(parts, written.substring(end));
		return String.join(" + ", parts);
	}

	private static void addText(List<String> parts, String text) {
		if (!text.isEmpty()) {
			parts.add("'" + text + "'");
		}
	}

}
