package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;

import org.springframework.core.io.ClassPathResource;
import org.springframework.util.PropertyPlaceholderHelper;

/**
 * The SQL statements for one database. A section of the database's own file replaces the
 * section of the same name in the common file.
 */
final class SqlStatements {

	private static final Pattern COMMENTS_AND_SPACE = Pattern.compile("(?m)(^--.*$|\\s)+");

	private static final PropertyPlaceholderHelper INCLUDES = new PropertyPlaceholderHelper("${", "}");

	private final Map<String, String> sections = new HashMap<>();

	private final Map<String, Sql> statements = new HashMap<>();

	SqlStatements(JdbcDialect dialect, TableNames tables) {
		read("common");
		read(dialect.platform());
		this.sections.forEach((name, text) -> this.statements.put(name,
				Sql.of(tables.applyTo(INCLUDES.replacePlaceholders(text, this.sections::get)))));
	}

	/** Return a statement. */
	Sql get(String name) {
		return Objects.requireNonNull(this.statements.get(name), name);
	}

	/** Return whether the database has a statement of that name. */
	boolean has(String name) {
		return this.statements.containsKey(name);
	}

	private void read(String file) {
		ClassPathResource resource = new ClassPathResource("sql/" + file + ".sql", SqlStatements.class);
		try {
			String[] parts = resource.getContentAsString(StandardCharsets.UTF_8).split("(?m)^-- name: ");
			Stream.of(parts).skip(1).forEach((part) -> {
				String[] section = part.split("\\R", 2);
				this.sections.put(section[0], COMMENTS_AND_SPACE.matcher(section[1]).replaceAll(" ").strip());
			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A statement.
	 *
	 * @param text the statement with question marks
	 * @param parameters the name of each question mark
	 */
	record Sql(String text, List<String> parameters) {

		/** A name after a single colon: two colons are a cast of PostgreSQL. */
		private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z]+)");

		private static Sql of(String text) {
			Matcher parameter = PARAMETER.matcher(text);
			List<String> names = parameter.results().map((result) -> result.group(1)).toList();
			return new Sql(parameter.replaceAll("?"), names);
		}

		/** Set the parameters of the prepared statement. */
		void bind(PreparedStatement statement, Map<String, ?> values) throws SQLException {
			for (int i = 0; i < this.parameters.size(); i++) {
				statement.setObject(i + 1, values.get(this.parameters.get(i)));
			}
		}

	}

}
