package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.RowMapperResultSetExtractor;
import org.springframework.jdbc.support.JdbcUtils;

/**
 * The statements that a reserved connection keeps prepared. Each is prepared once: H2
 * asks its server for that, and parses the text again.
 * <p>
 * The driver limits none of them: a limit of JDBC costs a timer in PostgreSQL and MySQL,
 * a longer statement in MariaDB and a round trip in H2, each time.
 * {@link ReservedConnectionsMaintenance} cancels a statement that takes too long. Only
 * one thread may use an object at a time.
 */
final class PreparedStatements {

	/** The statements of attempts, releases and renewals. */
	private static final Set<String> KEPT = Set.of("attempt", "read", "release", "releaseAndNotify", "renew", "holds");

	private final Connection connection;

	private final SqlStatements texts;

	private final RunningStatement running;

	private final Map<String, Prepared> prepared = new HashMap<>();

	PreparedStatements(Connection connection, SqlStatements texts, RunningStatement running) {
		this.connection = connection;
		this.texts = texts;
		this.running = running;
	}

	/** Whether a statement is one of those that are kept. */
	static boolean keeps(String name) {
		return KEPT.contains(name);
	}

	/** Run an update and return the number of changed rows. */
	int update(String name, Map<String, ?> values) {
		return run(name, values, PreparedStatement::executeUpdate);
	}

	/** Run a query. */
	<T> List<T> query(String name, Map<String, ?> values, RowMapper<T> mapper) {
		return run(name, values, (statement) -> {
			try (ResultSet results = statement.executeQuery()) {
				return new RowMapperResultSetExtractor<>(mapper, 1).extractData(results);
			}
		});
	}

	private <T> T run(String name, Map<String, ?> values, Execution<T> execution) {
		try {
			Prepared kept = this.prepared.get(name);
			if (kept == null) {
				NamedStatement text = this.texts.named(name);
				kept = new Prepared(this.connection.prepareStatement(text.sql()), text.parameters());
				this.prepared.put(name, kept);
			}
			kept.bind(values);
			this.running.begin(kept.statement());
			try {
				return execution.run(kept.statement());
			}
			finally {
				this.running.end();
			}
		}
		catch (SQLException ex) {
			forget(name);
			throw JdbcExceptionTranslator.dataAccessException(name, ex);
		}
	}

	/** A statement that has failed may be one that its table no longer fits. */
	private void forget(String name) {
		Prepared failed = this.prepared.remove(name);
		if (failed != null) {
			JdbcUtils.closeStatement(failed.statement());
		}
	}

	/** Close the statements: not every pool does it when a connection is returned. */
	void close() {
		this.prepared.values().forEach((kept) -> JdbcUtils.closeStatement(kept.statement()));
		this.prepared.clear();
	}

	/** Runs a statement whose parameters have been set. */
	private interface Execution<T> {

		T run(PreparedStatement statement) throws SQLException;

	}

	/**
	 * A prepared statement.
	 *
	 * @param statement the statement
	 * @param parameters the names of its parameters
	 */
	private record Prepared(PreparedStatement statement, List<String> parameters) {

		private void bind(Map<String, ?> values) throws SQLException {
			int index = 0;
			for (String name : this.parameters) {
				index++;
				Object value = Objects.requireNonNull(values.get(name), name);
				if (value instanceof String text) {
					this.statement.setString(index, text);
				}
				else if (value instanceof byte[] bytes) {
					this.statement.setBytes(index, bytes);
				}
				else {
					this.statement.setLong(index, (Long) value);
				}
			}
		}

	}

}
