package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

/**
 * What an operator sees and does in the mode {@code row}.
 */
@Tag(Installed.TAG)
class RowInspectionTests {

	/** Longer than the server needs to end a session. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final String key = "it's-" + UUID.randomUUID();

	@ParameterizedTest
	@EnumSource
	void theStatementsOfTheMessageFindAndEndTheSessionOfTheHolder(Database server) {
		TestDatabase database = server.open();
		JdbcTemplate administrator = database.direct();
		try (HikariDataSource pool = database.pool(4);
				JdbcNode node = JdbcNode.named(pool, "distlock:", true);
				JdbcNode other = JdbcNode.named(pool, "distlock:", true)) {
			assertThatThrownBy(() -> other.inspection().inspect(this.key))
				.isInstanceOf(UnsupportedOperationException.class);
			Grant grant = node.take(node.ticket(this.key));
			String message = String.valueOf(catchThrowableOfType(UnsupportedOperationException.class,
					() -> other.inspection().end(this.key, grant.firstToken()))
				.getMessage());
			List<String> statements = Pattern.compile("(SELECT|KILL) [^;]*;")
				.matcher(message)
				.results()
				.map(MatchResult::group)
				.toList();
			assertThat(statements).hasSize(2);
			if (server == Database.POSTGRESQL) {
				assertThat(administrator.queryForList(statements.get(0))).singleElement()
					.extracting("application_name", as(STRING))
					.startsWith("lock " + node.instance());
			}
			// MariaDB shows sessions as they were up to 100 ms before: that of the holder
			// may be missing, and others may have ended.
			await().atMost(PATIENCE)
				.ignoreExceptionsMatching((ex) -> String.valueOf(ex.getMessage()).contains("Unknown thread id"))
				.until(() -> {
					for (Map<String, Object> session : administrator.queryForList(statements.get(0).replace(";", ""))) {
						Object id = session.values().iterator().next();
						administrator.execute(statements.get(1).replaceAll("<.*>", String.valueOf(id)));
					}
					return other.attemptOnce(this.key) instanceof AttemptResult.Granted;
				});
		}
	}

	@ParameterizedTest
	@EnumSource
	void aLeaseOfTheOtherModeIsInspected(Database server) {
		try (HikariDataSource pool = server.open().pool(8);
				JdbcNode lease = JdbcNode.named(pool, "distlock:", false);
				JdbcNode row = JdbcNode.named(pool, "distlock:", true)) {
			Grant grant = lease.take(lease.ticket(this.key));
			assertThat(row.inspection().inspect(this.key).holders()).singleElement()
				.extracting(StoredHolder::grantToken)
				.isEqualTo(grant.firstToken());
			assertThatThrownBy(() -> row.inspection().end(this.key, grant.firstToken()))
				.isInstanceOf(UnsupportedOperationException.class);
		}
	}

}
