package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * What an operator sees and does on each database, and what the former holder and the
 * next caller see when a grant was ended.
 */
@Tag(Installed.TAG)
class JdbcInspectionTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String key = "it's-" + UUID.randomUUID();

	private final String prefix = UUID.randomUUID() + ":";

	@ParameterizedTest
	@EnumSource
	void theNextTokenIsHigherThanTheBlockThatWasEndedEvenIfTheClockWasSetBack(Database server) {
		TestDatabase database = server.open();
		JdbcNode node = this.nodes.named(database.pool(4), this.prefix, false);
		Ticket ticket = node.ticket(this.key);
		long ahead = node.take(ticket).lastToken() + Duration.ofHours(1).toNanos() / 1000;
		database.direct().update("UPDATE distlock_lock SET fence = ? WHERE owner = ?", ahead, ticket.token());
		assertThat(node.inspection().inspect(this.key).holders()).singleElement()
			.satisfies((holder) -> assertThat(holder.since()).isNull());
		assertThat(node.inspection().end(this.key, ahead - 16)).isEqualTo(EndResult.ENDED);
		assertThat(node.take(node.ticket(this.key)).firstToken()).isEqualTo(ahead + 1);
	}

	@ParameterizedTest
	@EnumSource
	void ofSeveralLostGrantsThoseThatAnOperatorHasEndedAreNamed(Database server) {
		TestDatabase database = server.open();
		HikariDataSource pool = this.nodes.closing(database.pool(4));
		JdbcNode node = this.nodes.closing(JdbcNode.named(pool, this.prefix, false));
		JdbcNode other = this.nodes.closing(JdbcNode.named(pool, this.prefix, false));
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			Ticket ticket = node.ticket(this.key + i);
			Grant grant = node.take(ticket);
			renewals.add(new Renewal(ticket, grant.lastToken(), JdbcNode.LEASE));
			if (i % 2 == 1) {
				other.inspection().end(this.key + i, grant.firstToken());
			}
		}
		database.direct().update("DELETE FROM distlock_lock WHERE owner = ?", renewals.get(2).ticket().token());
		assertThat(Answers.of(node.store.renew(renewals))).satisfiesExactly(
				(kept) -> assertThat(kept).isInstanceOf(RenewalResult.Extended.class),
				(ended) -> assertThat(ended).isInstanceOf(RenewalResult.Gone.class),
				(deleted) -> assertThat(deleted).isInstanceOf(RenewalResult.Gone.class),
				(ended) -> assertThat(ended).isInstanceOf(RenewalResult.Gone.class));
		assertThat(node.ended).containsOnlyKeys(renewals.get(1).ticket(), renewals.get(3).ticket());
	}

	@ParameterizedTest
	@EnumSource
	void theFormerHolderLearnsAtItsReleaseThatAnOperatorHasEndedItsGrant(Database server) {
		HikariDataSource pool = this.nodes.closing(server.open().pool(4));
		JdbcNode node = this.nodes.closing(JdbcNode.named(pool, this.prefix, false));
		JdbcNode other = this.nodes.closing(JdbcNode.named(pool, this.prefix, false));
		Ticket ticket = node.ticket(this.key);
		Grant grant = node.take(ticket);
		other.inspection().end(this.key, grant.firstToken());
		assertThat(Answers
			.of(node.store.release(ticket, grant.firstToken() + 3,
					new Successor(node.ticket(this.key), JdbcNode.LEASE)))
			.released()).isFalse();
		assertThat(node.ended).containsEntry(ticket, grant.firstToken());
		Ticket lost = node.ticket(this.key + "lost");
		assertThat(node.release(lost)).isFalse();
		assertThat(node.ended).doesNotContainKey(lost);
	}

	@ParameterizedTest
	@EnumSource
	void theNoteOfAnEndedGrantIsTheRowOfAFreeLockAndIsCleanedUp(Database server) {
		TestDatabase database = server.open();
		JdbcTemplate jdbc = database.direct();
		JdbcNode node = this.nodes.named(database.pool(4), this.prefix, false);
		Ticket ticket = node.ticket(this.key);
		Grant grant = node.take(ticket);
		node.inspection().end(this.key, grant.firstToken());
		byte[] note = ("\u0001" + ticket.token()).getBytes(StandardCharsets.UTF_8);
		Map<String, Object> row = jdbc.queryForMap(
				"SELECT owner, fence - expires_at AS kept, wanted_at FROM distlock_lock WHERE lock_key = ?", note);
		assertThat(row).containsEntry("owner", "").containsEntry("wanted_at", grant.lastToken());
		assertThat((Long) row.get("kept")).isBetween(0L, JdbcNode.LEASE.toNanos() / 1000);
		jdbc.update("UPDATE distlock_lock SET fence = 0, expires_at = 0 WHERE lock_key = ?", note);
		await().atMost(PATIENCE)
			.until(() -> jdbc.queryForList("SELECT 1 FROM distlock_lock WHERE lock_key = ?", note).isEmpty());
	}

	@ParameterizedTest
	@EnumSource
	void theLocationNamesTheDatabaseAndTheTable(Database server) {
		TestDatabase database = server.open();
		JdbcNode node = this.nodes.named(database.pool(4), this.prefix, false);
		node.store.ping();
		assertThat(node.store.location()).startsWithIgnoringCase(server.name() + " at jdbc:")
			.endsWith(", table 'distlock_lock', prefix '" + this.prefix + "'")
			.contains(database.url().split("[?;]")[0]);
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "MARIADB" })
	void theStatementsOfTheMessageFindAndEndTheSessionOfTheHolder(Database server) {
		TestDatabase database = server.open();
		JdbcTemplate administrator = database.direct();
		HikariDataSource pool = this.nodes.closing(database.pool(4));
		JdbcNode node = this.nodes.closing(JdbcNode.named(pool, "distlock:", true));
		JdbcNode other = this.nodes.closing(JdbcNode.named(pool, "distlock:", true));
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
		// MariaDB shows sessions as they were up to 100 ms before: that of the holder
		// may be missing, and others may have ended.
		await().atMost(PATIENCE)
			.ignoreExceptionsMatching((ex) -> String.valueOf(ex.getMessage()).contains("Unknown thread id"))
			.until(() -> {
				for (Map<String, Object> session : administrator.queryForList(statements.get(0).replace(";", ""))) {
					Object id = session.values().iterator().next();
					administrator.execute(statements.get(1).replaceAll("<.*>", String.valueOf(id)));
				}
				return other.attemptOnce(this.key) instanceof Grant;
			});
	}

}
