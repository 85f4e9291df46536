package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.DocumentedRights;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A user of the database that has only the documented rights: those on the rows of two
 * tables.
 */
@Tag(Installed.TAG)
@ExtendWith(OutputCaptureExtension.class)
class LeastRightsTests {

	private static final List<String> RIGHTS = DocumentedRights.table();

	private static final Duration SOON = Duration.ofSeconds(30);

	private final String prefix = UUID.randomUUID() + ":";

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	@ParameterizedTest
	@MethodSource
	void theyAreSufficientForBothModes(Database server, boolean connection) {
		HikariDataSource pool = pool(server.open(), RIGHTS);
		JdbcNode holder = node(pool, connection);
		JdbcNode other = node(pool, connection);
		holder.store.verify();
		Ticket ticket = holder.ticket("k");
		Grant grant = holder.take(ticket);
		Ticket waiting = other.ticket("k");
		assertThat(other.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(holder.release(ticket)).isTrue();
		if (connection) {
			await().atMost(SOON).until(() -> other.has(waiting));
		}
		assertThat(other.take(waiting).firstToken()).isGreaterThan(grant.firstToken());
		if (connection) {
			assertThat(other.release(waiting)).isTrue();
			return;
		}
		long token = other.inspection().inspect("k").holders().get(0).grantToken();
		assertThat(holder.inspection().end("k", token)).isEqualTo(EndResult.ENDED);
	}

	static Stream<Arguments> theyAreSufficientForBothModes() {
		return Stream.of(Database.values())
			.flatMap((server) -> Stream.of(false, true).map((connection) -> Arguments.of(server, connection)));
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, false", "POSTGRESQL, true", "MARIADB, false", "MARIADB, true" })
	void theyAreSufficientAfterTheDatabaseHasEndedAllSessions(Database server, boolean connection) {
		HikariDataSource pool = pool(server.open(), RIGHTS);
		JdbcNode holder = node(pool, connection);
		JdbcNode other = node(pool, connection);
		Ticket ticket = holder.ticket("k");
		Grant grant = holder.take(ticket);
		Ticket waiting = other.queue("k");
		server.open().endSessions(pool.getUsername());
		if (connection) {
			await().atMost(SOON).until(() -> holder.doubted.contains(ticket));
		}
		else {
			assertThat(holder.renew(ticket, grant)).isInstanceOf(RenewalResult.Extended.class);
			assertThat(holder.release(ticket)).isTrue();
		}
		await().atMost(SOON).ignoreExceptions().until(() -> other.has(waiting));
		// Its session may have got the lock from the holder's, and was ended after it.
		assertThat(other.release(waiting) || connection).isTrue();
		Ticket again = other.ticket("k");
		other.take(again);
		assertThat(other.release(again)).isTrue();
		holder.store.verify();
	}

	@ParameterizedTest
	@MethodSource
	void eachMissingRightIsNamedAtTheStart(Database server, String missing) {
		List<String> lesser = RIGHTS.stream().filter((right) -> !right.equals(missing)).toList();
		HikariDataSource pool = pool(server.open(), lesser);
		JdbcNode node = node(pool, false);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(node.store::verify)
			.withMessageContaining("The database refused the check")
			.withMessageContaining(missing.equals("SELECT") ? "check (" : "the right " + missing)
			.withMessageContaining("grant the user SELECT, INSERT, UPDATE and DELETE on distlock_lock");
	}

	static Stream<Arguments> eachMissingRightIsNamedAtTheStart() {
		return Stream.of(Database.values())
			.flatMap((server) -> RIGHTS.stream().map((right) -> Arguments.of(server, right)));
	}

	@ParameterizedTest
	@EnumSource
	void theCheckLeavesNoRow(Database server) {
		TestDatabase database = server.open();
		JdbcNode node = node(pool(database, RIGHTS), false);
		node.store.verify();
		assertThat(database.direct()
			.queryForList("SELECT lock_key FROM distlock_lock WHERE lock_key = ?", byte[].class,
					("\0" + LockInstance.of(node.instance()).id()).getBytes(StandardCharsets.UTF_8)))
			.isEmpty();
	}

	private JdbcNode node(HikariDataSource pool, boolean connected) {
		return this.nodes.closing(JdbcNode.named(pool, this.prefix, connected));
	}

	/** A pool of a new user with these rights on the table. */
	private HikariDataSource pool(TestDatabase database, List<String> rights) {
		return this.nodes.closing(database.granting(rights).pool(8));
	}

}
