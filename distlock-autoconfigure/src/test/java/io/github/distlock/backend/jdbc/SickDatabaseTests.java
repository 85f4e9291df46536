package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Callers of the mode {@code lease} while the database is frozen, and after it has ended
 * all sessions.
 */
@Tag(Installed.TAG)
class SickDatabaseTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final Duration WAIT = Duration.ofSeconds(3);

	private final String key = "sick-" + UUID.randomUUID() + "-";

	private final AtomicBoolean end = new AtomicBoolean();

	private final AtomicInteger sections = new AtomicInteger();

	private final AtomicInteger failures = new AtomicInteger();

	private final AtomicLong longestMillis = new AtomicLong();

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void noCallerWaitsForADatabaseThatFreezesInTheMiddleOfAStatement(Database server) throws Exception {
		TestDatabase database = server.open();
		try (TcpProxy proxy = proxy(database); HikariDataSource pool = pool(database, proxy, 10)) {
			BackendLockRegistry registry = registry(pool);
			ExecutorService callers = Executors.newFixedThreadPool(4);
			try {
				List<Future<?>> calls = new ArrayList<>();
				for (int i = 0; i < 4; i++) {
					String name = this.key + i % 2;
					calls.add(callers.submit(() -> loop(registry, name)));
				}
				await().atMost(SOON).until(() -> this.sections.get() > 20);
				int before = this.failures.get();
				proxy.holdBack(true);
				// Each caller has failed several times.
				await().atMost(Duration.ofMinutes(2)).until(() -> this.failures.get() >= before + 12);
				proxy.holdBack(false);
				int frozen = this.sections.get();
				await().atMost(SOON).until(() -> this.sections.get() > frozen + 20);
				awaitEnd(calls);
			}
			finally {
				this.end.set(true);
				callers.shutdown();
				proxy.holdBack(false);
				registry.shutdown();
			}
			assertThat(proxy.cancellations()).isZero();
			assertThat(this.longestMillis).hasValueLessThan(9_500);
		}
	}

	private void awaitEnd(List<Future<?>> calls) throws Exception {
		this.end.set(true);
		for (Future<?> call : calls) {
			call.get(1, TimeUnit.MINUTES);
		}
	}

	private void loop(BackendLockRegistry registry, String name) {
		while (!this.end.get()) {
			long begin = System.nanoTime();
			try (HeldLock lock = registry.acquire(LockRequest.of(name).waitTime(WAIT))) {
				this.sections.incrementAndGet();
			}
			catch (LockBackendException | LockNotAcquiredException ex) {
				this.failures.incrementAndGet();
			}
			long millis = (System.nanoTime() - begin) / 1_000_000;
			this.longestMillis.accumulateAndGet(millis, Math::max);
		}
	}

	@Test
	void aShutdownDoesNotWaitForAFrozenDatabaseAndLeavesNoThread() throws Exception {
		TestDatabase database = TestDatabase.postgres();
		try (TcpProxy proxy = proxy(database); HikariDataSource pool = pool(database, proxy, 2)) {
			BackendLockRegistry registry = registry(pool);
			registry.acquire(LockRequest.of(this.key));
			proxy.holdBack(true);
			try {
				CompletableFuture.runAsync(registry::shutdown).get(8, TimeUnit.SECONDS);
			}
			finally {
				proxy.holdBack(false);
			}
			await().atMost(SOON)
				.until(() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.noneMatch((thread) -> thread.getName().matches("distlock(:|-jdbc-).*")));
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					POSTGRESQL | LOCK TABLE distlock_lock IN ACCESS EXCLUSIVE MODE | SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'
					MARIADB | SELECT * FROM distlock_lock FOR UPDATE | SELECT trx_mysql_thread_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'
					""")
	void aSessionThatWaitsForTheTableEndsAlthoughItsClientHasGone(Database server, String lock, String waiting)
			throws Exception {
		TestDatabase database = server.open();
		JdbcTemplate jdbc = database.direct();
		try (HikariDataSource pool = new HikariDataSource(database.poolSettings(2));
				JdbcNode node = JdbcNode.lease(pool)) {
			node.take(node.ticket(this.key + "first"));
			try (Connection migration = Objects.requireNonNull(jdbc.getDataSource()).getConnection()) {
				migration.setAutoCommit(false);
				migration.createStatement().execute(lock);
				Ticket ticket = node.ticket(this.key + "second");
				assertThatExceptionOfType(LockBackendException.class)
					.isThrownBy(() -> Answers.of(node.store.attempt(ticket, JdbcNode.LEASE, true)));
				List<Long> sessions = jdbc.queryForList(waiting, Long.class);
				assertThat(sessions).isNotEmpty();
				// The store deletes unused rows meanwhile, so another session may wait.
				await().atMost(SOON)
					.until(() -> Collections.disjoint(sessions, jdbc.queryForList(waiting, Long.class)));
				migration.rollback();
			}
		}
	}

	@Test
	void thePasswordMayChangeWhileTheApplicationRuns() throws Exception {
		TestDatabase database = TestDatabase.postgres();
		JdbcTemplate owner = database.direct();
		String user = "rotated" + UUID.randomUUID().toString().substring(0, 8);
		owner.execute("CREATE ROLE " + user + " LOGIN SUPERUSER PASSWORD 'first'");
		HikariConfig settings = database.poolSettings(4);
		settings.setJdbcUrl(database.url().replaceFirst("[?].*", ""));
		settings.setUsername(user);
		settings.setPassword("first");
		try (HikariDataSource pool = new HikariDataSource(settings); JdbcNode node = JdbcNode.lease(pool)) {
			node.take(node.ticket(this.key + "first"));
			owner.execute("ALTER ROLE " + user + " PASSWORD 'second'");
			pool.getHikariConfigMXBean().setPassword("second");
			owner.queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + user + "'");
			node.take(node.ticket(this.key + "second"));
		}
	}

	private static TcpProxy proxy(TestDatabase database) {
		return new TcpProxy(Integer.parseInt(database.url().replaceFirst(".*:(\\d+)/.*", "$1")));
	}

	private static HikariDataSource pool(TestDatabase database, TcpProxy proxy, int size) {
		HikariConfig settings = database.poolSettings(size);
		settings.setJdbcUrl(database.url().replaceFirst(":\\d+/", ":" + proxy.port() + "/"));
		settings.setConnectionTimeout(30_000);
		return new HikariDataSource(settings);
	}

	private static BackendLockRegistry registry(HikariDataSource pool) {
		return JdbcRegistries.lease(pool, WAIT, Duration.ofSeconds(30));
	}

}
