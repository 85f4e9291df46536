package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreAdministration.EndResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * What an operator sees and does in the mode {@code row}.
 */
@Tag(Installed.TAG)
class RowAdministrationTests {

	/** Longer than the server needs to end a session. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final String key = "it's-" + UUID.randomUUID();

	@Test
	void aHolderThatHasWaitedIsNamedAndItsSessionAloneIsEnded() {
		try (HikariDataSource pool = TestDatabase.postgres().pool(10);
				JdbcNode first = JdbcNode.announced(pool, "distlock:", true);
				JdbcNode second = JdbcNode.announced(pool, "distlock:", true)) {
			Ticket before = first.ticket(this.key);
			first.take(before);
			Ticket other = second.ticket(this.key + "other");
			second.take(other);
			Ticket waiter = second.ticket(this.key);
			assertThat(second.attempt(waiter)).isInstanceOf(AttemptResult.Queued.class);
			assertThat(first.administration().inspect(this.key).holders()).singleElement()
				.extracting(StoredHolder::instance)
				.isEqualTo(first.instance());
			first.release(before);
			await().atMost(PATIENCE).until(() -> second.granted.contains(waiter));
			Grant grant = second.take(waiter);
			assertThat(first.administration().inspect(this.key).holders()).singleElement().satisfies((holder) -> {
				assertThat(holder.instance()).isEqualTo(second.instance());
				assertThat(holder.grantToken()).isEqualTo(grant.firstToken());
				assertThat(holder.ttl()).isNull();
				assertThat(Duration.between(holder.since(), Instant.now()).abs()).isLessThan(Duration.ofSeconds(20));
			});
			assertThat(first.administration().end(this.key, grant.firstToken())).isEqualTo(EndResult.ENDED);
			assertThat(first.attemptOnce(this.key)).isInstanceOf(AttemptResult.Granted.class);
			assertThat(second.store.renew(List.of(new Renewal(waiter, grant.lastToken(), JdbcNode.LEASE))))
				.containsExactly(new RenewalResult.Gone());
			assertThat(second.ended).containsExactly(Map.entry(waiter, grant.firstToken()));
			assertThat(second.release(other)).isTrue();
		}
	}

	@Test
	void theFormerHolderLearnsAtItsReleaseThatAnOperatorHasEndedItsSession() {
		try (HikariDataSource pool = TestDatabase.postgres().pool(10);
				JdbcNode first = JdbcNode.announced(pool, "distlock:", true);
				JdbcNode second = JdbcNode.announced(pool, "distlock:", true)) {
			Ticket ticket = first.ticket(this.key);
			Grant grant = first.take(ticket);
			second.administration().end(this.key, grant.firstToken());
			assertThat(first.release(ticket)).isFalse();
			assertThat(first.ended).containsExactly(Map.entry(ticket, grant.firstToken()));
		}
	}

	@Test
	void anAccountThatMayNotEndTheSessionIsToldTheStatement() {
		TestDatabase database = TestDatabase.postgres();
		JdbcTemplate administrator = database.direct();
		String user = "u" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
		administrator.execute("CREATE USER " + user + " PASSWORD ''");
		administrator.execute("GRANT USAGE ON SCHEMA public TO " + user);
		administrator.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON distlock_lock, distlock_instance TO " + user);
		HikariConfig settings = database.poolSettings(4);
		settings.setJdbcUrl(database.url().split("[?;]")[0]);
		settings.setUsername(user);
		try (HikariDataSource pool = database.pool(4);
				HikariDataSource limited = new HikariDataSource(settings);
				JdbcNode holder = JdbcNode.announced(pool, "distlock:", true);
				JdbcNode other = JdbcNode.announced(limited, "distlock:", true)) {
			Grant grant = holder.take(holder.ticket(this.key));
			assertThat(other.administration().inspect(this.key).holders()).hasSize(1);
			String message = String.valueOf(catchThrowableOfType(UnsupportedStoreOperationException.class,
					() -> other.administration().end(this.key, grant.firstToken()))
				.getMessage());
			assertThat(message).contains("does not let this account end");
			String statement = message.substring(message.indexOf("SELECT pg_terminate_backend"));
			assertThat(administrator.queryForList("SELECT 1 FROM distlock_instance WHERE ended_grant = ?",
					grant.firstToken()))
				.as("the note of the grant that was not ended")
				.isEmpty();
			assertThat(administrator.queryForList(statement, Boolean.class)).containsExactly(true);
			await().atMost(PATIENCE).until(() -> other.attemptOnce(this.key) instanceof AttemptResult.Granted);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "MARIADB" })
	void whereTheDatabaseDoesNotTellTheSessionTheStatementsOfTheMessageFindAndEndIt(Database server) {
		TestDatabase database = server.open();
		JdbcTemplate administrator = database.direct();
		try (HikariDataSource pool = database.pool(4);
				JdbcNode node = JdbcNode.announced(pool, "distlock:", true);
				JdbcNode other = JdbcNode.announced(pool, "distlock:", true)) {
			assertThatThrownBy(() -> other.administration().inspect(this.key))
				.isInstanceOf(UnsupportedStoreOperationException.class);
			Grant grant = node.take(node.ticket(this.key));
			String message = String.valueOf(catchThrowableOfType(UnsupportedStoreOperationException.class,
					() -> other.administration().end(this.key, grant.firstToken()))
				.getMessage());
			List<String> statements = Pattern.compile("(SELECT|KILL) [^;]*;")
				.matcher(message)
				.results()
				.map(MatchResult::group)
				.toList();
			assertThat(statements).hasSize(2);
			for (Map<String, Object> session : administrator.queryForList(statements.get(0).replace(";", ""))) {
				Object id = session.values().iterator().next();
				administrator.execute(statements.get(1).replaceAll("<.*>", String.valueOf(id)));
			}
			await().atMost(PATIENCE).until(() -> other.attemptOnce(this.key) instanceof AttemptResult.Granted);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aLeaseOfTheOtherModeIsInspectedAndEnded(Database server) {
		try (HikariDataSource pool = server.open().pool(8);
				JdbcNode lease = JdbcNode.announced(pool, "distlock:", false);
				JdbcNode row = JdbcNode.announced(pool, "distlock:", true)) {
			lease.administration().announce();
			Ticket ticket = lease.ticket(this.key);
			Grant grant = lease.take(ticket);
			assertThat(row.administration().inspect(this.key).holders()).singleElement()
				.extracting(StoredHolder::grantToken)
				.isEqualTo(grant.firstToken());
			assertThat(row.administration().end(this.key, grant.firstToken())).isEqualTo(EndResult.ENDED);
			assertThat(lease.release(ticket)).isFalse();
			assertThat(lease.ended).containsEntry(ticket, grant.firstToken());
			lease.administration().withdraw();
		}
	}

}
