package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;

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

	private static final List<String> RIGHTS = documented("distlock_lock");

	private final String user = "least" + UUID.randomUUID().toString().substring(0, 8);

	private final String prefix = UUID.randomUUID() + ":";

	private final List<AutoCloseable> open = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.open) {
			resource.close();
		}
	}

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
			await().until(() -> other.has(waiting));
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

	/** The rights on a table that the documentation grants. */
	private static List<String> documented(String table) {
		try {
			return Files.readAllLines(Path.of("..", "docs", "stores-jdbc.md"))
				.stream()
				.filter((line) -> line.startsWith("GRANT ") && line.endsWith(" ON " + table + " TO shop;"))
				.map((line) -> line.substring("GRANT ".length(), line.indexOf(" ON ")).split(", "))
				.map(List::of)
				.findFirst()
				.orElseThrow();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private JdbcNode node(HikariDataSource pool, boolean connected) {
		JdbcNode node = JdbcNode.named(pool, this.prefix, connected);
		this.open.add(0, node);
		return node;
	}

	/** A pool of a new user with these rights on the table. */
	private HikariDataSource pool(TestDatabase database, List<String> rights) {
		JdbcTemplate owner = database.direct();
		String password = UUID.randomUUID().toString();
		String grantee = this.user;
		switch (database.platform()) {
			case "h2" -> owner.execute("CREATE USER " + this.user + " PASSWORD '" + password + "'");
			case "postgresql" -> owner.execute("CREATE ROLE " + this.user + " LOGIN PASSWORD '" + password + "'");
			default -> {
				grantee = this.user + "@'127.0.0.1'";
				owner.execute("CREATE USER " + grantee + " IDENTIFIED BY '" + password + "'");
			}
		}
		owner.execute("GRANT " + String.join(", ", rights) + " ON distlock_lock TO " + grantee);
		HikariConfig settings = database.poolSettings(8);
		// The parameters belong to the owner: the user, and settings for administrators.
		settings.setJdbcUrl(database.url().replaceFirst("[?;].*", ""));
		settings.setUsername(this.user);
		settings.setPassword(password);
		HikariDataSource pool = new HikariDataSource(settings);
		this.open.add(pool);
		return pool;
	}

}
