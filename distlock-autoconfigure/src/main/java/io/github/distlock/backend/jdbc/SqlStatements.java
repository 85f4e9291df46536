package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;

/**
 * The SQL statements for one database. A section of the database's own file replaces the
 * section of the same name in the common file.
 */
final class SqlStatements {

	private static final String SECTION = "-- name: ";

	private static final Pattern INCLUDE = Pattern.compile("\\$\\{([a-z]+)}");

	private final Map<String, String> sections = new HashMap<>();

	private final Map<String, String> statements = new HashMap<>();

	private final Map<String, NamedStatement> named = new ConcurrentHashMap<>();

	SqlStatements(JdbcDialect dialect, TableNames tables) {
		read("common");
		read(dialect.platform());
		this.sections.forEach((name, text) -> this.statements.put(name, tables.applyTo(withIncludes(text))));
	}

	/** Return a statement with named parameters. */
	String get(String name) {
		return Objects.requireNonNull(this.statements.get(name), name);
	}

	/** Return a statement with question marks. */
	NamedStatement named(String name) {
		return this.named.computeIfAbsent(name, (key) -> NamedStatement.of(get(key)));
	}

	/** Return whether the database has a statement of that name. */
	boolean has(String name) {
		return this.statements.containsKey(name);
	}

	private void read(String file) {
		ClassPathResource resource = new ClassPathResource("sql/" + file + ".sql", SqlStatements.class);
		try {
			String name = null;
			StringBuilder text = new StringBuilder();
			for (String line : resource.getContentAsString(StandardCharsets.UTF_8).lines().toList()) {
				if (line.startsWith(SECTION)) {
					put(name, text);
					name = line.substring(SECTION.length()).trim();
					text.setLength(0);
				}
				else if (!line.startsWith("--")) {
					text.append(line.strip()).append(' ');
				}
			}
			put(name, text);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void put(@Nullable String name, StringBuilder text) {
		if (name != null) {
			this.sections.put(name, text.toString().strip());
		}
	}

	private String withIncludes(String section) {
		String text = section;
		for (Matcher include = INCLUDE.matcher(text); include.find(); include = INCLUDE.matcher(text)) {
			String included = Objects.requireNonNull(this.sections.get(include.group(1)), include.group(1));
			text = include.replaceFirst(Matcher.quoteReplacement(included));
		}
		return text;
	}

}
