package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.DocumentedRights;
import io.github.distlock.testing.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Both modes behind PgBouncer, which lends sessions of the server to its clients, as a
 * user with the documented rights.
 */
@Tag(Installed.TAG)
class PgBouncerTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private final String key = "pooled-" + UUID.randomUUID();

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	@ParameterizedTest
	@ValueSource(strings = { "transaction", "session" })
	void locksOfTheModeConnectionExcludeEachOtherAndAreHandedOver(String mode) throws Exception {
		String url = start(mode);
		JdbcNode node = this.nodes.named(pool(url), "pooled:", true);
		JdbcNode other = this.nodes.named(pool(url), "pooled:", true);
		long last = 0;
		for (int i = 0; i < 20; i++) {
			Ticket ticket = node.ticket(this.key);
			Grant grant = node.take(ticket);
			assertThat(grant.firstToken()).isGreaterThan(last);
			assertThat(other.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
			Ticket waiter = other.queue(this.key);
			assertThat(node.release(ticket)).isTrue();
			await().atMost(SOON).until(() -> other.grants.containsKey(waiter));
			last = other.take(waiter).firstToken();
			assertThat(other.release(waiter)).isTrue();
		}
		Ticket held = node.ticket(this.key);
		Grant grant = node.take(held);
		Answers.of(other.store.cancel(other.queue(this.key)));
		assertThat(other.inspection().inspect(this.key).holders()).singleElement()
			.extracting(StoredHolder::grantToken)
			.isEqualTo(grant.firstToken());
		assertThat(other.inspection().end(this.key, grant.firstToken())).isEqualTo(EndResult.ENDED);
		await().atMost(SOON).until(() -> node.doubted.contains(held));
		await().atMost(SOON).until(() -> other.attemptOnce(this.key) instanceof Grant);
	}

	@ParameterizedTest
	@ValueSource(strings = { "transaction", "session" })
	void locksOfTheModeLeaseExcludeEachOtherAndAreHandedOver(String mode) throws Exception {
		String url = start(mode);
		JdbcNode node = this.nodes.named(pool(url), "pooled-lease:", false);
		JdbcNode other = this.nodes.named(pool(url), "pooled-lease:", false);
		for (int i = 0; i < 20; i++) {
			Ticket ticket = node.hold(this.key);
			assertThat(other.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
			assertThat(node.release(ticket)).isTrue();
			other.release(other.hold(this.key));
		}
	}

	@Test
	void transactionsAreLocksBehindTheModeTransaction() throws Exception {
		String url = start("transaction");
		TransactionShop shop = new TransactionShop(pool(url));
		this.nodes.closing(shop);
		TransactionShop other = new TransactionShop(pool(url));
		this.nodes.closing(other);
		for (int i = 0; i < 20; i++) {
			assertThat(shop.sales.<@Nullable String>waiting(this.key, () -> other.sales.skipped(this.key, () -> "ran")))
				.isNull();
			assertThat(other.sales.skipped(this.key, () -> "ran")).isEqualTo("ran");
		}
	}

	private static HikariDataSource pool(String url) {
		return TestDatabase.postgres().pool(4, (settings) -> settings.setJdbcUrl(url));
	}

	/** Start PgBouncer before the server of the tests. Returns its URL. */
	private String start(String mode) throws IOException {
		String program = Installed.PGBOUNCER.assume().toString();
		String server = TestDatabase.postgres().url().replaceFirst(".*:(\\d+)/.*", "$1");
		int port = RedisTestServer.freePort();
		// As root it asks for a user who reads the folder.
		Path folder = Files.createTempDirectory("pgbouncer");
		Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
		Path users = Files.writeString(folder.resolve("users"), "\"postgres\" \"\"\n");
		Path settings = Files.writeString(folder.resolve("ini"), """
				[databases]
				postgres = host=127.0.0.1 port=%s dbname=postgres user=%s
				[pgbouncer]
				listen_addr = 127.0.0.1
				listen_port = %d
				unix_socket_dir =
				auth_type = trust
				auth_file = %s
				pool_mode = %s
				default_pool_size = 60
				ignore_startup_parameters = extra_float_digits
				""".formatted(server, TestDatabase.postgres().granting(DocumentedRights.table()).user(), port, users,
				mode));
		List<String> command = new ArrayList<>(List.of(program, settings.toString()));
		if (System.getProperty("user.name").equals("root")) {
			command.addAll(1, List.of("-u", "nobody"));
		}
		Process bouncer = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(folder.resolve("log").toFile())
			.start();
		this.nodes.closing(() -> bouncer.destroyForcibly().waitFor());
		String url = "jdbc:postgresql://127.0.0.1:" + port + "/postgres?prepareThreshold=0";
		JdbcTemplate client = new JdbcTemplate(new DriverManagerDataSource(url, "postgres", ""));
		await().atMost(SOON).ignoreExceptions().until(() -> !client.queryForList("SELECT 1").isEmpty());
		return url;
	}

}
