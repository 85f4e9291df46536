package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.backend.jdbc.LockConnection.PostgreSqlDriver;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.DocumentedRights;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.StoreNode;
import io.github.distlock.testing.TcpProxy;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.OverridingClassLoader;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.util.function.ThrowingSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What only PostgreSQL has. In the mode {@code connection} locks are advisory locks,
 * which tests see in the log and the write-ahead log of a server that no other test uses.
 * In the mode {@code lease} JVMs notify each other of releases, and locks also work
 * without that; a test that changes the shared database for it has a schema of its own.
 * Both modes, and the store {@code transaction}, work behind PgBouncer, which lends
 * sessions of the server to its clients, as a user with the documented rights.
 */
class PostgreSqlStoreTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	/** The time in which a server starts. */
	private static final Duration START = Duration.ofMinutes(2);

	private static final String WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";

	/** How many connections for locks a JVM has. */
	private static final int CONNECTIONS = 10;

	/** A session that creates an index, and … */
	private static final String CREATES = "query LIKE 'CREATE INDEX CONCURRENTLY%' AND ";

	private static final Duration LEASE = Duration.ofSeconds(5);

	private static final Path folder = ThrowingSupplier.of(() -> Files.createTempDirectory("advisory")).get();

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	@AutoClose
	private static EmbeddedPostgres server;

	private static TestDatabase database;

	private final String key = "advisory-" + UUID.randomUUID();

	@BeforeAll
	static void start() throws Exception {
		server = EmbeddedPostgres.builder()
			.setServerConfig("max_connections", "200")
			.setServerConfig("autovacuum", "off")
			// The server writes nothing for standby servers at intervals.
			.setServerConfig("wal_level", "minimal")
			.setServerConfig("max_wal_senders", "0")
			.setPGStartupWait(START)
			.setErrorRedirector(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
			.setOutputRedirector(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
			.start();
		database = TestDatabase.of(server);
	}

	/** Return the number that a query returns. */
	private static long ask(String query) {
		return Objects.requireNonNull(database.direct().queryForObject(query, Long.class));
	}

	private JdbcNode node() {
		return node(database.pool(4));
	}

	/** A node that reaches the server through a proxy. */
	private JdbcNode node(TcpProxy proxy) {
		return node(database.pool(4, proxy));
	}

	private JdbcNode node(HikariDataSource pool) {
		return this.nodes.connection(pool);
	}

	@Test
	void theNumberOfAKeyIsTheBeginningOfADigestOfNamesWithTheirLengths() {
		assertThat(LockKeys.number("public", "distlock_lock", "distlock:", "stock-42")).isEqualTo(6585534822663148679L);
		assertThat(LockKeys.number("shop", "locks_lock", "", "Größe 3")).isEqualTo(-7750108206542739365L);
		assertThat(LockKeys.number("public", "distlock_lock", "a:", "b"))
			.isNotEqualTo(LockKeys.number("public", "distlock_lock", "a", ":b"));
	}

	private static long number(String key) {
		return LockKeys.number("public", "distlock_lock", JdbcNode.CONNECTION_PREFIX, key);
	}

	@Test
	void tokensAreTheClockOfTheServerAfterTheGrant() {
		JdbcNode node = node();
		String clock = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint";
		long last = 0;
		for (int i = 0; i < 20; i++) {
			long before = ask(clock);
			Ticket ticket = node.ticket(this.key);
			last = node.take(ticket).firstToken();
			assertThat(last).isBetween(before, ask(clock));
			node.release(ticket);
		}
		Ticket holder = node.hold(this.key);
		JdbcNode other = node();
		Ticket waiter = other.queue(this.key);
		awaitWaiting(1);
		long released = ask(clock);
		node.release(holder);
		await().atMost(SOON).until(() -> other.grants.containsKey(waiter));
		assertThat(other.take(waiter).firstToken()).isGreaterThan(released);
	}

	/** Wait until sessions wait in the server for advisory locks. */
	private static void awaitWaiting(int sessions) {
		await().atMost(SOON).until(() -> ask(WAITING) == sessions);
	}

	@Test
	void aCycleWritesNothingAndTakesNoTransactionId() {
		JdbcNode node = node();
		JdbcNode other = node();
		cycle(node, other);
		JdbcTemplate jdbc = database.direct();
		jdbc.execute("CHECKPOINT");
		String state = "SELECT pg_current_wal_insert_lsn() || ' ' || (pg_control_checkpoint()).next_xid";
		String before = jdbc.queryForObject(state, String.class);
		cycle(node, other);
		assertThat(jdbc.queryForObject(state, String.class)).isEqualTo(before);
	}

	/** An uncontended cycle, and one with a wait. */
	private void cycle(JdbcNode node, JdbcNode other) {
		node.release(node.hold(this.key));
		Ticket holder = node.hold(this.key);
		assertThat(database.direct()
			.queryForList("SELECT backend_xid FROM pg_stat_activity WHERE state = 'idle in transaction'", String.class))
			.isNotEmpty()
			.containsOnlyNulls();
		Ticket waiter = other.queue(this.key);
		awaitWaiting(1);
		node.release(holder);
		await().atMost(SOON).until(() -> other.grants.containsKey(waiter));
		other.release(waiter);
	}

	@Test
	void waitsThatEndByThemselvesOrAreGivenUpLeaveNoErrorInTheLogOfTheServer() throws Exception {
		int before = log().length();
		JdbcNode holder = node();
		holder.hold(this.key);
		JdbcNode node = node();
		Ticket waiter = node.queue(this.key);
		awaitWaiting(1);
		JdbcNode third = node();
		Ticket abandoned = third.queue(this.key);
		awaitWaiting(2);
		// Longer than one wait in the server.
		await().atMost(SOON).until(() -> waiting(this.key) < 2);
		await().atMost(SOON).until(() -> {
			node.attempt(waiter);
			return waiting(this.key) == 1;
		});
		Answers.of(node.store.cancel(waiter));
		Answers.of(third.store.cancel(abandoned));
		awaitWaiting(0);
		assertThat(log()).contains("ready to accept connections");
		assertThat(log().substring(before)).doesNotContain("canceling", "ERROR", "deadlock");
	}

	private static String log() throws IOException {
		return Files.readString(folder.resolve("log"));
	}

	private static long waiting(String key) {
		return ask(WAITING + " AND (classid::bigint << 32 | objid::bigint) = " + number(key));
	}

	@Test
	void waitingTicketsOfSeveralJvmsAreGrantedTheLockInTheOrderOfArrival() {
		JdbcNode first = node();
		Ticket holder = first.hold(this.key);
		List<JdbcNode> nodes = new ArrayList<>();
		List<Ticket> tickets = new ArrayList<>();
		for (int i = 1; i <= 5; i++) {
			// With a connection: a wait in the server lasts ten seconds.
			JdbcNode node = node();
			nodes.add(node);
			assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		}
		for (JdbcNode node : nodes) {
			tickets.add(node.queue(this.key));
			awaitWaiting(tickets.size());
		}
		assertThat(first.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		first.release(holder);
		for (int i = 0; i < 5; i++) {
			JdbcNode node = nodes.get(i);
			Ticket ticket = tickets.get(i);
			await().atMost(SOON).until(() -> node.grants.containsKey(ticket));
			assertThat(waiting(this.key)).isEqualTo(4 - i);
			node.release(ticket);
		}
	}

	@Test
	void theKeyOfAnotherSessionWithTheSameNumberTimesOutWithAMessage() throws Exception {
		BackendLockRegistry registry = registry(Duration.ofMillis(500));
		HeldLock held = this.nodes.closing(registry.acquire(LockRequest.of(this.key).waitTime(SOON)));
		SingleConnectionDataSource session = new SingleConnectionDataSource(database.url(), database.user(), "", true);
		new JdbcTemplate(session).execute("SELECT pg_advisory_lock(" + number(this.key + 2) + ")");
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of(this.key + 2)))
			.withMessageContaining(this.key + 2);
		assertThat(held.confirmHeld()).isTrue();
		session.destroy();
		registry.acquire(LockRequest.of(this.key + 2).waitTime(SOON)).close();
	}

	private BackendLockRegistry registry(Duration wait) {
		return this.nodes.registry(backend(), wait, SOON, SOON);
	}

	/** Each caller has a connection, and none is free for a second key. */
	@Test
	void callersOfTwoKeysOnAllConnectionsEndOrAreRefused() throws Exception {
		BackendLockRegistry registry = registry(SOON);
		ExecutorService callers = Executors.newFixedThreadPool(CONNECTIONS);
		CountDownLatch holding = new CountDownLatch(CONNECTIONS);
		List<Future<String>> calls = new ArrayList<>();
		for (int i = 0; i < CONNECTIONS; i++) {
			String first = this.key + i;
			// One gives up, and its connection serves the others.
			Duration wait = (i > 0) ? SOON : Duration.ofSeconds(2);
			calls.add(callers.submit(() -> {
				// The pool opens its connections one after the other.
				try (HeldLock one = registry.acquire(LockRequest.of(first))) {
					holding.countDown();
					holding.await();
					try (HeldLock two = registry.acquire(LockRequest.of(first + "second").waitTime(wait))) {
						return (one.isHeld() && two.isHeld()) ? "held" : "not held";
					}
				}
				catch (LockBackendException ex) {
					return String.valueOf(ex.getMessage());
				}
			}));
		}
		List<String> outcomes = new ArrayList<>();
		for (Future<String> call : calls) {
			outcomes.add(call.get(1, TimeUnit.MINUTES));
		}
		callers.shutdown();
		assertThat(outcomes).allMatch((outcome) -> outcome.equals("held")
				|| outcome.contains("all connections of the mode 'connection' are in use"));
		assertThat(outcomes).as("the first who gives up").anyMatch((outcome) -> !outcome.equals("held"));
		registry.acquire(LockRequest.of(this.key).waitTime(SOON)).close();
	}

	@Test
	void withoutAConnectionTheMessageCountsHeldAndWaitingLocks() {
		JdbcNode node = this.nodes.connection(database.pool(4), 3);
		JdbcNode other = node();
		other.hold(this.key);
		node.hold(this.key + 1);
		node.hold(this.key + 2);
		node.queue(this.key);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attemptOnce(this.key + 3))
			.withMessageContaining("2 by held locks and 1 by waits for locks");
	}

	@Test
	void aHolderThatIsStoppedIsSucceededWithinTheLeaseAndKnowsWhenItGoesOn() {
		ChildJvm holder = this.nodes.closing(ChildJvm.start(JdbcNode.class, database.platform(), database.url(),
				database.user(), this.key, Long.toString(LEASE.multipliedBy(2).toMillis())));
		long token = Long.parseLong(holder.expect("held "));
		JdbcNode node = node();
		Ticket waiter = node.queue(this.key);
		holder.pause();
		await().atMost(SOON).until(() -> node.has(waiter));
		assertThat(node.take(waiter).firstToken()).isGreaterThan(token);
		holder.resume();
		assertThat(holder.expect("resumed valid=")).isEqualTo("false");
	}

	@Test
	void aHolderWhoseNetworkIsCutKnowsItBeforeTheNextOneEnters() {
		TcpProxy proxy = this.nodes.closing(new TcpProxy(server.getPort()));
		JdbcNode holder = node(proxy);
		Ticket ticket = holder.ticket(this.key);
		Grant grant = StoreNode.granted(holder.attempt(ticket, LEASE, true));
		List<Boolean> known = new CopyOnWriteArrayList<>();
		StoreNode node = watched((next) -> known.add(grant.validity().hasPassed(TimeSource.SYSTEM)));
		Ticket waiter = node.queue(this.key);
		proxy.holdBack(true);
		try {
			await().atMost(SOON).until(() -> holder.doubted.contains(ticket));
			assertThat(grant.validity().hasPassed(TimeSource.SYSTEM)).isTrue();
			await().atMost(SOON).until(() -> !known.isEmpty() || node.attempt(waiter) instanceof Grant);
			assertThat(known).doesNotContain(false);
		}
		finally {
			proxy.holdBack(false);
		}
	}

	@Test
	void aHeldLockOutlivesTheTimeLimitsOfItsSession() {
		JdbcNode node = node(database.pool(4,
				(settings) -> settings.setConnectionInitSql("SET idle_in_transaction_session_timeout = '500ms'")));
		Ticket ticket = node.ticket(this.key);
		Grant grant = node.take(ticket);
		Instant begin = Instant.now();
		await().atMost(SOON).until(() -> Duration.between(begin, Instant.now()).compareTo(LEASE.plusSeconds(1)) > 0);
		assertThat(grant.validity().hasPassed(TimeSource.SYSTEM)).isFalse();
		assertThat(node.release(ticket)).isTrue();
	}

	@Test
	void aHeldLockOutlivesTheTransactionTimeoutOfTheServer() {
		assumeTrue(ask("SELECT current_setting('server_version_num')::bigint") >= 170000,
				"transaction_timeout came with PostgreSQL 17");
		database.direct().execute("ALTER DATABASE postgres SET transaction_timeout = '1s'");
		try {
			JdbcNode node = node();
			Ticket ticket = node.hold(this.key);
			awaitSession("state = 'idle in transaction' AND xact_start < clock_timestamp() - interval '3 s'");
			assertThat(node.release(ticket)).isTrue();
		}
		finally {
			database.direct().execute("ALTER DATABASE postgres RESET transaction_timeout");
		}
	}

	/** Wait until there is a session with some properties. */
	private static void awaitSession(String condition) {
		await().atMost(SOON).until(() -> ask("SELECT count(*) FROM pg_stat_activity WHERE " + condition) == 1);
	}

	@Test
	void aGrantAfterALongWaitIsValidFromTheFirst() {
		List<Boolean> valid = new CopyOnWriteArrayList<>();
		StoreNode node = watched((grant) -> valid.add(!grant.validity().hasPassed(TimeSource.SYSTEM)));
		JdbcNode holder = node();
		Ticket held = holder.hold(this.key);
		Ticket waiter = node.ticket(this.key);
		assertThat(node.attempt(waiter, LEASE, true)).isInstanceOf(AttemptResult.Queued.class);
		// Longer than the lease, and shorter than one wait in the server.
		awaitSession("wait_event = 'advisory' AND query_start < clock_timestamp() - interval '5100 ms'");
		holder.release(held);
		await().atMost(SOON).until(() -> !valid.isEmpty());
		assertThat(valid).containsExactly(true);
		assertThat(node.release(waiter)).isTrue();
	}

	/** A node that passes on what is granted to its waiting tickets. */
	private StoreNode watched(Consumer<Grant> granted) {
		return this.nodes.closing(new StoreNode(backend(), LockInstance.of(this.key)) {

			@Override
			public void granted(Ticket ticket, Grant grant) {
				granted.accept(grant);
			}

		});
	}

	@Test
	void theRemainingTimeIsThatOfTheSessionAlsoIfALongerLeaseIsAskedForLater() {
		JdbcNode holder = node();
		Ticket held = holder.hold(this.key);
		JdbcNode node = node();
		Ticket waiter = node.ticket(this.key);
		node.attempt(waiter);
		// For a caller that takes over the ticket of one that has given up.
		node.attempt(waiter, JdbcNode.LEASE.multipliedBy(4), true);
		holder.release(held);
		await().atMost(SOON).until(() -> node.has(waiter));
		assertThat(node.take(waiter).validity().sessionNanos()).isBetween(1L, JdbcNode.LEASE.toNanos());
	}

	@Test
	void anAttemptIsOneRoundTripAWaitWithItsGrantAnotherOneAndARelease() {
		TcpProxy proxy = this.nodes.closing(new TcpProxy(server.getPort()));
		JdbcNode node = node(proxy);
		JdbcNode holder = node();
		int attempt = Integer.MAX_VALUE;
		int release = Integer.MAX_VALUE;
		int contended = Integer.MAX_VALUE;
		// A check of the sessions adds to some of them.
		for (int i = 0; i < 10; i++) {
			int begin = proxy.roundTrips();
			Ticket ticket = node.hold(this.key);
			int granted = proxy.roundTrips();
			node.release(ticket);
			int released = proxy.roundTrips();
			Ticket held = holder.hold(this.key);
			Ticket waiter = node.queue(this.key);
			awaitWaiting(1);
			holder.release(held);
			await().atMost(SOON).until(() -> node.grants.containsKey(waiter));
			contended = Math.min(contended, proxy.roundTrips() - released);
			attempt = Math.min(attempt, granted - begin);
			release = Math.min(release, released - granted);
			node.release(waiter);
		}
		assertThat(List.of(attempt, release, contended)).containsExactly(1, 1, 2);
	}

	@Test
	void ofALongNameOfAnInstanceASessionHasTheEnd() {
		String application = "order-service-of-a-department-with-a-very-long-name-in-production";
		List<String> instances = new ArrayList<>();
		for (int i = 1; i <= 2; i++) {
			LockInstance self = new LockInstance("id-" + i, application, "host-7.example.org", 4711L);
			JdbcNode node = this.nodes.closing(new JdbcNode(backend(), self));
			node.hold(this.key + i);
			instances.add(node.inspection().inspect(this.key + i).holders().get(0).instance());
			assertThat(self.text()).hasSizeGreaterThan(63).endsWith(instances.get(i - 1));
		}
		assertThat(instances.get(0)).hasSize(63).endsWith("host-7.example.org:4711:id-1");
		assertThat(instances.get(1)).hasSize(63).endsWith("host-7.example.org:4711:id-2");
	}

	@Test
	void neitherVacuumNorTheConcurrentCreationOfAnIndexWaitsForAHeldLock() {
		JdbcNode node = node();
		Ticket ticket = node.hold(this.key);
		makeGoods();
		goods().execute("DELETE FROM goods");
		// Statements of other sessions keep the rows for a moment.
		await().atMost(SOON).until(() -> isEmptyAfterVacuum());
		goods().execute("CREATE INDEX CONCURRENTLY ON goods (number)");
		assertThat(node.release(ticket)).isTrue();
	}

	private static JdbcTemplate goods() {
		JdbcTemplate jdbc = database.direct();
		jdbc.setQueryTimeout((int) SOON.toSeconds());
		return jdbc;
	}

	private static void makeGoods() {
		goods().execute("DROP TABLE IF EXISTS goods");
		goods().execute("CREATE TABLE goods AS SELECT generate_series(1, 1000) AS number");
	}

	/** Whether no deleted row is left. */
	private static boolean isEmptyAfterVacuum() {
		goods().execute("VACUUM goods");
		return ask("SELECT pg_relation_size('goods')") == 0;
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void besideAWaitingLockVacuumLeavesWhatWasDeletedAndAnIndexIsCreatedAfterItsTransactionOrWait(boolean cancelled)
			throws Exception {
		JdbcNode holder = node();
		Ticket held = holder.hold(this.key);
		makeGoods();
		JdbcNode node = node();
		Ticket waiter = node.queue(this.key);
		awaitWaiting(1);
		goods().execute("DELETE FROM goods");
		assertThat(isEmptyAfterVacuum()).isFalse();
		Future<?> index = createIndexBesideAWaitingLock();
		if (cancelled) {
			Answers.of(node.store.cancel(waiter));
		}
		else {
			// The transaction with which the ticket has waited holds the lock.
			holder.release(held);
			await().atMost(SOON).until(() -> node.grants.containsKey(waiter));
			awaitSession(CREATES + "pg_blocking_pids(pid) && (SELECT array_agg(pid) FROM pg_locks WHERE "
					+ "locktype = 'advisory' AND objsubid = 1 AND granted)");
			node.release(waiter);
		}
		index.get(SOON.toSeconds(), TimeUnit.SECONDS);
		await().atMost(SOON).until(() -> isEmptyAfterVacuum());
		assertThat(holder.release(held)).isEqualTo(cancelled);
	}

	private static Future<?> createIndexBesideAWaitingLock() {
		Future<?> index = CompletableFuture
			.runAsync(() -> goods().execute("CREATE INDEX CONCURRENTLY ON goods (number)"));
		awaitSession(CREATES + "pg_blocking_pids(pid) && (SELECT array_agg(pid) FROM pg_locks WHERE "
				+ "locktype = 'advisory' AND NOT granted)");
		return index;
	}

	@Test
	void aServerInRecoveryGrantsNothingAlsoIfItWasThePrimaryBefore() throws Exception {
		Path data = folder.resolve("standby");
		EmbeddedPostgres primary = EmbeddedPostgres.builder()
			.setPGStartupWait(START)
			.setDataDirectory(data)
			.setCleanDataDirectory(false)
			.start();
		TestDatabase demoted = new TestDatabase("postgresql",
				primary.getJdbcUrl("postgres", "postgres").replaceFirst("[?].*", "?targetServerType=any"),
				TestDatabase.of(primary).granting(DocumentedRights.table()).user());
		JdbcNode node = node(demoted.pool(4));
		Ticket held = node.hold(this.key);
		JdbcNode other = node(demoted.pool(4));
		Ticket waiter = other.queue(this.key);
		primary.close();
		Files.createFile(data.resolve("standby.signal"));
		try (EmbeddedPostgres standby = EmbeddedPostgres.builder()
			.setPGStartupWait(START)
			.setDataDirectory(data)
			.setCleanDataDirectory(false)
			.setPort(primary.getPort())
			.start()) {
			await().atMost(SOON).until(() -> node.doubted.contains(held));
			for (JdbcNode each : List.of(node, other, node(demoted.pool(4)))) {
				// A pool may still have connections to the primary.
				await().atMost(SOON)
					.untilAsserted(() -> assertThatExceptionOfType(LockBackendException.class)
						.isThrownBy(() -> each.attemptOnce(this.key))
						.withMessageContaining(
								"read-only, as a replica or a former primary is; connect to the primary"));
				assertThatExceptionOfType(LockBackendException.class)
					.isThrownBy(() -> each.attempt(each.ticket(this.key)));
			}
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> other.attempt(waiter));
			assertThat(other.grants).isEmpty();
			assertThat(node.release(held)).isFalse();
			assertThat(demoted.direct()
				.queryForList("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1")).isEmpty();
			this.nodes.close();
		}
	}

	@Test
	void aJvmOfTheOtherModeDoesNotStart() {
		String prefix = UUID.randomUUID() + ":";
		HikariDataSource pool = pool();
		JdbcNode lease = JdbcNode.named(pool, prefix, false);
		assertThatExceptionOfType(StoreUnusableException.class).isThrownBy(() -> JdbcNode.named(pool, prefix, true))
			.withMessageContaining("a JVM of the other mode than distlock.jdbc.mode=connection uses PostgreSQL at ");
		JdbcNode.named(pool, prefix, false).close();
		JdbcNode.named(pool, prefix + 2, true).close();
		lease.close();
		awaitNoMark(prefix);
		JdbcNode connected = JdbcNode.named(pool, prefix, true);
		assertThatExceptionOfType(StoreUnusableException.class).isThrownBy(() -> JdbcNode.named(pool, prefix, false))
			.withMessageContaining("distlock.jdbc.mode=lease");
		connected.close();
	}

	private static void awaitNoMark(String prefix) {
		await().atMost(SOON)
			.until(() -> database.direct()
				.queryForList("SELECT 1 FROM pg_locks WHERE objsubid = 2 AND objid::bigint::bit(32)"
						+ " = hashtext('distlock_lock'::regclass::oid::text || ' ' || ?)::bit(32)", prefix)
				.isEmpty());
	}

	@Test
	void anInspectionNamesTheInstanceThatWaitsAndTheMomentOfTheGrant() {
		JdbcNode holder = this.nodes.named(database.pool(4), "long:", true);
		JdbcNode operator = this.nodes.named(database.pool(4), "long:", true);
		Grant grant = holder.take(holder.ticket(this.key));
		operator.queue(this.key);
		awaitWaiting(1);
		assertThat(operator.inspection().inspect(this.key).holders()).singleElement()
			.extracting(StoredHolder::since)
			.isEqualTo(Instant.EPOCH.plus(grant.firstToken(), ChronoUnit.MICROS));
		assertThat(operator.inspection().inspect(this.key).waiting()).singleElement()
			.extracting(StoredWaiter::instance)
			.isEqualTo(operator.instance());
	}

	private JdbcBackend backend() {
		return JdbcBackend.connection(pool(), JdbcUnderTest.connectionSettings(CONNECTIONS), TimeSource.SYSTEM);
	}

	private HikariDataSource pool() {
		return this.nodes.closing(database.pool(4));
	}

	private final TestDatabase shared = TestDatabase.postgres();

	/** The poll interval is longer than a test. */
	private final HikariDataSource pool = this.nodes.closing(this.shared.pool(20));

	private final String schema = '"' + this.key + '"';

	@Test
	void aReleaseWakesAWaitingTicketOfAnotherJvmButNoneOfItsOwn() {
		JdbcNode holder = this.nodes.closing(node(this.pool, true));
		JdbcNode waiter = this.nodes.closing(node(this.pool, true));
		Ticket held = holder.hold(this.key);
		Ticket waiting = waiter.ticket(this.key);
		Ticket next = holder.ticket(this.key);
		await().atMost(SOON).until(() -> isListening(waiter, waiting) && isListening(holder, next));
		holder.retried.clear();
		assertThat(waiter.retried).isEmpty();
		assertThat(Answers.of(holder.store.release(held, 0, new Successor(next, JdbcNode.LEASE))).released()).isTrue();
		await().atMost(SOON).until(() -> waiter.retried.contains(waiting));
		waiter.take(waiting);
		assertThat(holder.attempt(next)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(holder.retried).isEmpty();
		// Now the other JVM has released. Notifications arrive in their order.
		assertThat(waiter.release(waiting)).isTrue();
		await().atMost(SOON).until(() -> holder.retried.size() == 1);
		holder.take(next);
	}

	@Test
	void aReleaseNotifiesOnlyIfAnotherTicketHasFailedToGetTheLockSinceTheGrant() throws SQLException {
		JdbcNode holder = this.nodes.closing(node(this.pool, true));
		JdbcNode waiter = this.nodes.closing(node(this.pool, true));
		Connection listener = this.nodes.closing(listener(this.pool));
		Ticket ticket = holder.hold(this.key);
		assertThat(waiter.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		assertThat(holder.release(ticket)).isTrue();
		assertThat(notified(listener)).isEmpty();
		ticket = holder.hold(this.key);
		Ticket waiting = waiter.ticket(this.key);
		assertThat(waiter.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(holder.release(ticket)).isTrue();
		assertThat(notified(listener)).singleElement().asString().endsWith(" " + holder.instance());
		waiter.take(waiting);
		assertThat(waiter.release(waiting)).isTrue();
		assertThat(notified(listener)).isEmpty();
	}

	@Test
	void withoutThePropertyNothingIsSentAndNothingListens() throws SQLException {
		JdbcNode holder = this.nodes.closing(node(this.pool, false));
		JdbcNode waiter = this.nodes.closing(node(this.pool, false));
		Connection listener = this.nodes.closing(listener(this.pool));
		Ticket ticket = holder.hold(this.key);
		assertThat(isListening(waiter, waiter.ticket(this.key))).isFalse();
		assertThat(holder.release(ticket)).isTrue();
		assertThat(notified(listener)).isEmpty();
	}

	@Test
	void aReleaseSucceedsIfTheDatabaseRefusesNotifications() {
		List.of("CREATE ROLE plain LOGIN", "GRANT SELECT, INSERT, UPDATE, DELETE ON distlock_lock TO plain",
				"REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC")
			.forEach(this.shared.direct()::execute);
		try (HikariDataSource pool = this.shared.as("plain").pool(20); JdbcNode node = node(pool, true)) {
			Ticket ticket = node.hold(this.key);
			assertThat(node.release(ticket)).isTrue();
			node.take(node.ticket(this.key));
		}
		finally {
			this.shared.direct().execute("GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC");
		}
	}

	@Test
	void aListeningConnectionThatBreaksIsReplaced() {
		JdbcNode holder = this.nodes.closing(node(this.pool, true));
		JdbcNode waiter = this.nodes.closing(node(this.pool, true));
		Ticket held = holder.hold(this.key);
		Ticket waiting = waiter.ticket(this.key);
		await().atMost(SOON).until(() -> isListening(waiter, waiting));
		this.shared.direct()
			.queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN distlock'");
		await().atMost(SOON).until(() -> !((JdbcLeaseStore) waiter.store).notifications.isListening());
		await().atMost(SOON).until(() -> isListening(waiter, waiting));
		assertThat(holder.release(held)).isTrue();
		await().atMost(SOON).until(() -> waiter.retried.contains(waiting));
	}

	private static JdbcNode node(DataSource dataSource, boolean notifications) {
		return new JdbcNode(JdbcBackend.lease(dataSource, new JdbcBackendSettings("distlock:", JdbcNode.COMMAND,
				Duration.ofSeconds(60), 17, 3, 10, notifications, TableNames.DEFAULT, ""), TimeSource.SYSTEM));
	}

	/** Let the ticket wait. Returns whether its JVM listens now. */
	private static boolean isListening(JdbcNode node, Ticket ticket) {
		assertThat(node.attempt(ticket)).isInstanceOf(AttemptResult.Queued.class);
		return ((JdbcLeaseStore) node.store).notifications.isListening();
	}

	private static Connection listener(DataSource pool) throws SQLException {
		Connection connection = pool.getConnection();
		try (Statement statement = connection.createStatement()) {
			statement.execute("LISTEN distlock");
		}
		return connection;
	}

	/** Return the notifications that have been sent before, and not been read. */
	private List<String> notified(Connection listener) throws SQLException {
		this.shared.direct().execute("NOTIFY distlock, 'marker " + this.key + "'");
		List<String> arrived = new ArrayList<>();
		while (!arrived.contains("marker " + this.key)) {
			for (PGNotification each : listener.unwrap(PGConnection.class).getNotifications(0)) {
				arrived.add(each.getParameter());
			}
		}
		return arrived.subList(0, arrived.indexOf("marker " + this.key));
	}

	@Test
	void withoutTheDriverOfPostgreSqlNothingListens() throws ReflectiveOperationException {
		assertThat(PostgreSqlDriver.PRESENT).isTrue();
		ClassLoader loader = new OverridingClassLoader(new FilteredClassLoader("org.postgresql")) {

			@Override
			protected boolean isEligibleForOverriding(String name) {
				return name.equals(PostgreSqlDriver.class.getName());
			}

		};
		Class<?> withoutDriver = loader.loadClass(PostgreSqlDriver.class.getName());
		assertThat(withoutDriver).isNotSameAs(PostgreSqlDriver.class);
		Field present = withoutDriver.getDeclaredField("PRESENT");
		present.setAccessible(true);
		assertThat(present.get(null)).isEqualTo(false);
	}

	@Test
	void aReleaseSucceedsWhileTheQueueOfNotificationsIsFullAndNotifiesLater() throws SQLException {
		JdbcTemplate admin = this.shared.direct();
		admin.execute("CREATE SCHEMA " + this.schema);
		admin.execute("CREATE FUNCTION " + this.schema + ".pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS"
				+ " $$ BEGIN RAISE 'too many notifications in the NOTIFY queue' USING ERRCODE = '54000'; END $$");
		HikariDataSource full = this.nodes.closing(pool(this.schema + ", public, pg_catalog"));
		JdbcNode holder = this.nodes.closing(node(full, true));
		JdbcNode waiter = this.nodes.closing(node(this.pool, true));
		Connection listener = this.nodes.closing(listener(this.pool));
		assertThat(releaseWhileAnotherWaits(holder, waiter)).isTrue();
		admin.execute("DROP SCHEMA " + this.schema + " CASCADE");
		assertThat(releaseWhileAnotherWaits(holder, waiter)).isTrue();
		assertThat(notified(listener)).anyMatch((text) -> text.endsWith(" " + holder.instance()));
	}

	@Test
	void aTableThatIsMissingForAMomentDoesNotEndTheNotifications() throws SQLException {
		JdbcTemplate admin = this.shared.direct();
		admin.execute("CREATE SCHEMA " + this.schema);
		admin.execute("CREATE TABLE " + this.schema + ".distlock_lock (LIKE public.distlock_lock INCLUDING ALL)");
		try (HikariDataSource pool = pool(this.schema);
				JdbcNode holder = node(pool, true);
				JdbcNode waiter = node(pool, true);
				Connection listener = listener(pool)) {
			Ticket ticket = holder.hold(this.key);
			admin.execute("ALTER TABLE " + this.schema + ".distlock_lock RENAME TO distlock_lock_old");
			assertThatThrownBy(() -> holder.release(ticket)).isInstanceOf(LockBackendException.class)
				.hasMessageContaining("distlock_lock is missing");
			admin.execute("ALTER TABLE " + this.schema + ".distlock_lock_old RENAME TO distlock_lock");
			assertThat(holder.release(ticket)).isTrue();
			assertThat(releaseWhileAnotherWaits(holder, waiter)).isTrue();
			assertThat(notified(listener)).anyMatch((text) -> text.endsWith(" " + holder.instance()));
		}
		finally {
			admin.execute("DROP SCHEMA " + this.schema + " CASCADE");
		}
	}

	private boolean releaseWhileAnotherWaits(JdbcNode holder, JdbcNode waiter) {
		Ticket ticket = holder.hold(this.key);
		Ticket waiting = waiter.ticket(this.key);
		assertThat(waiter.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
		Answers.of(waiter.store.cancel(waiting));
		return holder.release(ticket);
	}

	private HikariDataSource pool(String searchPath) {
		return this.shared.pool(20, (settings) -> settings.setConnectionInitSql("SET search_path = " + searchPath));
	}

	@ParameterizedTest
	@Tag(Installed.TAG)
	@ValueSource(strings = { "transaction", "session" })
	void locksOfTheModeConnectionExcludeEachOtherAndAreHandedOver(String mode) throws Exception {
		String url = startPgBouncer(mode);
		JdbcNode node = this.nodes.named(bouncer(url), "pooled:", true);
		JdbcNode other = this.nodes.named(bouncer(url), "pooled:", true);
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
	@Tag(Installed.TAG)
	@ValueSource(strings = { "transaction", "session" })
	void locksOfTheModeLeaseExcludeEachOtherAndAreHandedOver(String mode) throws Exception {
		String url = startPgBouncer(mode);
		JdbcNode node = this.nodes.named(bouncer(url), "pooled-lease:", false);
		JdbcNode other = this.nodes.named(bouncer(url), "pooled-lease:", false);
		for (int i = 0; i < 20; i++) {
			Ticket ticket = node.hold(this.key);
			assertThat(other.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
			assertThat(node.release(ticket)).isTrue();
			other.release(other.hold(this.key));
		}
	}

	@Test
	@Tag(Installed.TAG)
	void transactionsAreLocksBehindTheModeTransaction() throws Exception {
		String url = startPgBouncer("transaction");
		TransactionShop shop = new TransactionShop(bouncer(url));
		this.nodes.closing(shop);
		TransactionShop other = new TransactionShop(bouncer(url));
		this.nodes.closing(other);
		for (int i = 0; i < 20; i++) {
			assertThat(shop.sales.<@Nullable String>waiting(this.key, () -> other.sales.skipped(this.key, () -> "ran")))
				.isNull();
			assertThat(other.sales.skipped(this.key, () -> "ran")).isEqualTo("ran");
		}
	}

	private HikariDataSource bouncer(String url) {
		return this.shared.pool(4, (settings) -> settings.setJdbcUrl(url));
	}

	/** Start PgBouncer before the server of the tests. Returns its URL. */
	private String startPgBouncer(String mode) throws IOException {
		String program = Installed.PGBOUNCER.assume().toString();
		String server = this.shared.url().replaceFirst(".*:(\\d+)/.*", "$1");
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
				""".formatted(server, this.shared.granting(DocumentedRights.table()).user(), port, users, mode));
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
