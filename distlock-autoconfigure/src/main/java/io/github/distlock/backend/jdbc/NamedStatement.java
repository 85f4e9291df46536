package io.github.distlock.backend.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement whose named parameters have been replaced by question marks, once.
 *
 * @param sql the statement with question marks
 * @param parameters the name of each question mark
 */
record NamedStatement(String sql, List<String> parameters) {

	/** A name after a single colon: two colons are a cast of PostgreSQL. */
	private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z]+)");

	static NamedStatement of(String text) {
		List<String> names = new ArrayList<>();
		Matcher parameter = PARAMETER.matcher(text);
		while (parameter.find()) {
			names.add(parameter.group(1));
		}
		return new NamedStatement(parameter.replaceAll("?"), List.copyOf(names));
	}

}
