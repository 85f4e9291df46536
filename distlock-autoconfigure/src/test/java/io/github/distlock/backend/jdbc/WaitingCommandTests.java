package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.DocumentedRights;
import io.github.distlock.testing.LiveThreads;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.jdbc.DataSourceBuilder;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Callers of the mode {@code lease} whose commands wait in the database: which thread has
 * sent one that waits for a locked row; while the database is frozen, and after it has
 * ended all sessions. A process that stops inside of a transaction keeps no row locked,
 * and leaves no limit behind for the other users of its connection.
 */
@Tag(Installed.TAG)
class WaitingCommandTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final Duration WAIT = Duration.ofSeconds(3);

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String key = "sick-" + UUID.randomUUID() + "-";

	private final AtomicBoolean end = new AtomicBoolean();

	private final AtomicInteger sections = new AtomicInteger();

	private final AtomicInteger failures = new AtomicInteger();

	private final AtomicLong longestMillis = new AtomicLong();

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void noCallerWaitsForADatabaseThatFreezesInTheMiddleOfAStatement(Database server) throws Exception {
		TestDatabase database = server.open();
		TcpProxy proxy = this.nodes.closing(proxy(database));
		HikariDataSource pool = this.nodes.closing(database.pool(10, proxy));
		BackendLockRegistry registry = registry(pool, Duration.ofSeconds(2));
		ExecutorService callers = Executors.newFixedThreadPool(4);
		try {
			CompletableFuture<?>[] calls = IntStream.range(0, 4)
				.mapToObj((i) -> CompletableFuture.runAsync(() -> loop(registry, this.key + i % 2), callers))
				.toArray(CompletableFuture[]::new);
			await().atMost(SOON).until(() -> this.sections.get() > 20);
			int before = this.failures.get();
			proxy.holdBack(true);
			// Each caller has failed several times.
			await().atMost(Duration.ofMinutes(2)).until(() -> this.failures.get() >= before + 12);
			proxy.holdBack(false);
			int frozen = this.sections.get();
			await().atMost(SOON).until(() -> this.sections.get() > frozen + 20);
			this.end.set(true);
			CompletableFuture.allOf(calls).get(1, TimeUnit.MINUTES);
		}
		finally {
			this.end.set(true);
			callers.shutdown();
			proxy.holdBack(false);
			registry.shutdown();
		}
		assertThat(proxy.cancellations()).isZero();
		assertThat(this.longestMillis).hasValueLessThan(SOON.toMillis());
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

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void theHolderOfARowThatAFailoverHasLostIsNotifiedBeforeItsNextRenewal(Database server) {
		TestDatabase database = server.open();
		RecordedEvents events = new RecordedEvents();
		TcpProxy proxy = this.nodes.closing(proxy(database));
		HikariDataSource pool = this.nodes.closing(database.pool(2, proxy));
		BackendLockRegistry registry = this.nodes.registry(pool, WAIT, Duration.ofMinutes(10), events);
		registry.acquire(LockRequest.of(this.key));
		proxy.refuse(true);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.tryAcquire(LockRequest.of(this.key + "next")));
		database.direct()
			.update("DELETE FROM distlock_lock WHERE lock_key = ?", (Object) LeaseModeTests.bytes(this.key));
		proxy.refuse(false);
		await().atMost(SOON).until(() -> events.lost.contains(this.key));
	}

	@Test
	void aShutdownDoesNotWaitForAFrozenDatabaseAndLeavesNoThread() throws Exception {
		TestDatabase database = TestDatabase.postgres();
		TcpProxy proxy = this.nodes.closing(proxy(database));
		HikariDataSource pool = this.nodes.closing(database.pool(2, proxy));
		BooleanSupplier pools = LiveThreads.anyNew("distlock:");
		BooleanSupplier commands = LiveThreads.anyNew("distlock-jdbc-");
		BackendLockRegistry registry = registry(pool, JdbcNode.SHORT_COMMAND);
		registry.acquire(LockRequest.of(this.key));
		proxy.holdBack(true);
		try {
			CompletableFuture.runAsync(registry::shutdown).get(1, TimeUnit.MINUTES);
		}
		finally {
			proxy.holdBack(false);
		}
		await().atMost(SOON).until(() -> !pools.getAsBoolean() && !commands.getAsBoolean());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					POSTGRESQL | LOCK TABLE distlock_lock IN ACCESS EXCLUSIVE MODE | SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'WITH held%'
					MARIADB | SELECT * FROM distlock_lock FOR UPDATE | SELECT trx_mysql_thread_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' AND trx_query LIKE 'INSERT%'
					""")
	void aSessionThatWaitsForTheTableEndsAlthoughItsClientHasGone(Database server, String lock, String waiting)
			throws Exception {
		TestDatabase database = server.open();
		JdbcTemplate jdbc = database.direct();
		HikariDataSource pool = this.nodes.closing(database.pool(2));
		JdbcNode node = this.nodes.closing(JdbcNode.impatient(pool));
		this.nodes.closing(JdbcNode.lease(pool)).hold(this.key + "first");
		try (Connection migration = Objects.requireNonNull(jdbc.getDataSource()).getConnection()) {
			migration.setAutoCommit(false);
			migration.createStatement().execute(lock);
			CompletableFuture<?> attempt = CompletableFuture.runAsync(() -> node.queue(this.key + "second"));
			await().atMost(SOON).until(() -> !jdbc.queryForList(waiting, Long.class).isEmpty());
			assertThat(attempt).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockBackendException.class);
			await().atMost(SOON).until(() -> jdbc.queryForList(waiting, Long.class).isEmpty());
			migration.rollback();
		}
	}

	@Test
	void thePasswordMayChangeWhileTheApplicationRuns() throws Exception {
		TestDatabase database = TestDatabase.postgres();
		JdbcTemplate owner = database.direct();
		String user = "rotated" + UUID.randomUUID().toString().substring(0, 8);
		owner.execute("CREATE ROLE " + user + " LOGIN PASSWORD 'first'");
		owner.execute("GRANT " + String.join(", ", DocumentedRights.table()) + " ON distlock_lock TO " + user);
		HikariDataSource pool = this.nodes
			.closing(database.as(user).pool(4, (settings) -> settings.setPassword("first")));
		JdbcNode node = this.nodes.closing(JdbcNode.lease(pool));
		node.take(node.ticket(this.key + "first"));
		owner.execute("ALTER ROLE " + user + " PASSWORD 'second'");
		pool.getHikariConfigMXBean().setPassword("second");
		database.endSessions(user);
		node.take(node.ticket(this.key + "second"));
	}

	private static TcpProxy proxy(TestDatabase database) {
		return new TcpProxy(Integer.parseInt(database.url().replaceFirst(".*:(\\d+)/.*", "$1")));
	}

	private BackendLockRegistry registry(HikariDataSource pool, Duration command) {
		return this.nodes.registry(
				JdbcBackend.lease(pool, JdbcUnderTest.settings("distlock:", command, 80), TimeSource.SYSTEM), WAIT,
				Duration.ofSeconds(30), Duration.ofMillis(50));
	}

	private final TableNames tables = new TableNames(null, "stopped" + UUID.randomUUID().toString().substring(0, 8));

	private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();

	private final CountDownLatch goOn = new CountDownLatch(1);

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void rowsThatAProcessWasDeletingWhenItStoppedAreFreeAgain(Database server) {
		JdbcTemplate jdbc = open(server);
		for (int i = 0; i < 8; i++) {
			jdbc.update("INSERT INTO " + this.tables.lock() + " VALUES (?, '', 0, 0, 0)", new byte[] { (byte) i });
		}
		HikariDataSource pool = this.nodes.closing(server.open().pool(4));
		JdbcNode node = this.nodes.closing(JdbcNode.lease(stopAt(jdbc, pool, "DELETE FROM", 8), this.tables));
		assertThat(this.stopped).succeedsWithin(SOON);
		await().atMost(SOON).until(() -> locked(jdbc) == 0);
		this.goOn.countDown();
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aRowWhoseGrantAProcessWasEndingWhenItStoppedIsFreeAgain(Database server) {
		JdbcTemplate jdbc = open(server);
		HikariDataSource pool = this.nodes.closing(server.open().pool(4));
		JdbcNode node = this.nodes.closing(JdbcNode.lease(stopAt(jdbc, pool, "INSERT", 1), this.tables));
		JdbcNode holder = this.nodes.lease(server.open().pool(4), this.tables);
		Ticket ticket = holder.ticket("ended");
		Grant grant = holder.take(ticket);
		StoreInspection inspection = Objects.requireNonNull(node.store.inspection());
		CompletableFuture<?> operator = CompletableFuture.runAsync(() -> inspection.end("ended", grant.firstToken()));
		assertThat(this.stopped).succeedsWithin(SOON);
		await().atMost(SOON).until(() -> locked(jdbc) == 0);
		this.goOn.countDown();
		assertThat(operator.handle((ended, failure) -> true)).succeedsWithin(SOON);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aConnectionOfTheApplicationHasItsOwnLimitAgain(Database server) {
		JdbcTemplate jdbc = open(server);
		jdbc.update("INSERT INTO " + this.tables.lock() + " VALUES (?, '', 0, 0, 0)", new byte[1]);
		HikariDataSource pool = this.nodes.closing(server.open().pool(1, (settings) -> settings.setMinimumIdle(1)));
		String read = (server == Database.POSTGRESQL) ? "SHOW idle_in_transaction_session_timeout"
				: "SELECT @@idle_transaction_timeout";
		String session = (server == Database.POSTGRESQL) ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()";
		JdbcTemplate application = new JdbcTemplate(pool);
		String before = application.queryForObject(read, String.class);
		String own = application.queryForObject(session, String.class);
		try (JdbcNode node = JdbcNode.lease(new UnknownPool(pool), this.tables)) {
			await().atMost(SOON).until(() -> jdbc.queryForList("SELECT lock_key FROM " + this.tables.lock()).isEmpty());
		}
		assertThat(application.queryForObject(session, String.class)).isEqualTo(own);
		assertThat(application.queryForObject(read, String.class)).isEqualTo(before);
	}

	/** A table of its own, which no other test cleans up. */
	private JdbcTemplate open(Database server) {
		JdbcTemplate jdbc = server.open().direct();
		jdbc.execute("CREATE TABLE " + this.tables.lock()
				+ ((server == Database.POSTGRESQL) ? " (LIKE distlock_lock INCLUDING ALL)" : " LIKE distlock_lock"));
		return jdbc;
	}

	/** A pool on which a statement of a session that has locked rows is never sent. */
	private UnknownPool stopAt(JdbcTemplate jdbc, HikariDataSource pool, String statement, int rows) {
		return new UnknownPool(pool, (connection, method, argument) -> {
			if (method.equals("prepareStatement") && String.valueOf(argument).startsWith(statement)
					&& locked(jdbc) == rows && this.stopped.complete(true)) {
				await().atMost(SOON.multipliedBy(2)).until(() -> this.goOn.getCount() == 0);
			}
		});
	}

	private int locked(JdbcTemplate jdbc) {
		List<?> all = jdbc.queryForList("SELECT lock_key FROM " + this.tables.lock());
		List<?> free = jdbc
			.queryForList("SELECT lock_key FROM " + this.tables.lock() + " WHERE fence >= 0 FOR UPDATE SKIP LOCKED");
		return all.size() - free.size();
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void theThreadOfTheCallerSendsToAPlainPool(Database server) throws Exception {
		HikariDataSource pool = this.nodes.closing(server.open().pool(4));
		assertThat(callerSends(server, pool, Thread::new, null)).isTrue();
	}

	@ParameterizedTest
	@MethodSource
	void theThreadOfTheCallerSendsAlsoBehindAProxyOrInATransactionButNotToAnotherSource(boolean sends,
			Function<HikariDataSource, DataSource> source) throws Exception {
		HikariDataSource pool = this.nodes.closing(TestDatabase.postgres().pool(4));
		DataSource dataSource = source.apply(pool);
		TransactionTemplate transaction = sends ? new TransactionTemplate(new JdbcTransactionManager(pool)) : null;
		assertThat(callerSends(Database.POSTGRESQL, dataSource, Thread::new, transaction)).isEqualTo(sends);
		if (!sends && !(dataSource instanceof AbstractRoutingDataSource)) {
			ReflectionTestUtils.invokeMethod(dataSource, "close");
		}
	}

	@Test
	void theThreadOfTheCallerDoesNotUseAnotherSocket() {
		assertThat(maySend("jdbc:postgresql://localhost/locks")).isTrue();
		assertThat(maySend("jdbc:postgresql:///locks?socketFactory=org.example.UnixSocketFactory")).isFalse();
		assertThat(maySend("jdbc:mariadb:///locks?localSocket=/run/mysqld.sock")).isFalse();
		assertThat(maySend("jdbc:mariadb:///locks?pipe=locks")).isFalse();
		assertThat(maySend("jdbc:h2:file:./locks")).isFalse();
	}

	private static boolean maySend(String url) {
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl(url);
			try (LockPool locks = new LockPool(pool, JdbcUnderTest.SETTINGS, 3, 3, "lease")) {
				return locks.isPlain();
			}
		}
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void aVirtualThreadDoesNotSend() throws Exception {
		HikariDataSource pool = this.nodes.closing(TestDatabase.postgres().pool(4));
		assertThat(callerSends(Database.POSTGRESQL, pool, LockThreads.numbered("caller-").virtual(), null)).isFalse();
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void anInterruptNeitherEndsTheConnectionNorIsLost(Database server) throws Exception {
		TestDatabase database = server.open();
		JdbcNode node = this.nodes.lease(database.pool(4));
		BlockedRow row = this.nodes.closing(new BlockedRow(database, node, this.key));
		AtomicBoolean interruptedBefore = new AtomicBoolean();
		AtomicBoolean interrupted = new AtomicBoolean();
		CompletableFuture<AttemptResult> result = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			Thread.currentThread().interrupt();
			node.take(node.ticket(this.key + "-other"));
			interruptedBefore.set(Thread.interrupted());
			result.complete(node.attempt(node.ticket(this.key)));
			interrupted.set(Thread.currentThread().isInterrupted());
		});
		caller.start();
		await().atMost(SOON).until(() -> isInDriver(caller));
		Long session = await().atMost(SOON).until(() -> session(server, database), Objects::nonNull);
		caller.interrupt();
		row.free();
		assertThat(result.get(20, TimeUnit.SECONDS)).isInstanceOf(Grant.class);
		caller.join();
		assertThat(interruptedBefore).isTrue();
		assertThat(interrupted).isTrue();
		assertThat(sessions(server, database)).contains(session);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aStatementThatWaitsForALockedRowFailsInTime(Database server) throws Exception {
		TestDatabase database = server.open();
		JdbcNode node = this.nodes.lease(database.pool(4));
		BlockedRow row = this.nodes.closing(new BlockedRow(database, node, this.key));
		// The server ends the wait before the command times out.
		Ticket late = node.ticket(this.key);
		assertThatThrownBy(() -> node.attempt(late)).isInstanceOf(LockBackendException.class);
		Long session = session(server, database);
		row.free();
		if (server == Database.POSTGRESQL) {
			assertThat(session).as("session that waits").isNull();
		}
		else {
			// The server executes it as soon as it can.
			await().atMost(SOON).until(() -> session(server, database) == null);
			Answers.of(node.store.cancel(late));
		}
		node.take(node.ticket(this.key));
	}

	/** Whether the thread of a caller sends an attempt that has to wait for the row. */
	private boolean callerSends(Database server, DataSource dataSource, ThreadFactory threads,
			@Nullable TransactionTemplate transaction) throws Exception {
		JdbcNode node = this.nodes.closing(JdbcNode.lease(dataSource));
		BlockedRow row = this.nodes.closing(new BlockedRow(server.open(), node, this.key));
		CompletableFuture<AttemptResult> result = new CompletableFuture<>();
		Ticket ticket = node.ticket(this.key);
		Thread caller = threads.newThread(() -> result.complete(
				(transaction != null) ? transaction.execute((status) -> node.attempt(ticket)) : node.attempt(ticket)));
		caller.start();
		await().atMost(SOON)
			.until(() -> session(server, server.open()) != null
					&& (Thread.getAllStackTraces().keySet().stream().anyMatch(this::isSending) || isInDriver(caller)));
		boolean sends = isInDriver(caller);
		row.free();
		assertThat(result.get(20, TimeUnit.SECONDS)).isInstanceOf(Grant.class);
		return sends;
	}

	private boolean isSending(Thread thread) {
		return thread.getName().matches("distlock-jdbc-\\d+") && isInDriver(thread);
	}

	private static boolean isInDriver(Thread thread) {
		return Stream.of(thread.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals(LockConnection.class.getName())
					&& frame.getMethodName().equals("query"))
				&& Stream.of(thread.getStackTrace())
					.anyMatch((frame) -> frame.getMethodName().startsWith("socketRead")
							|| frame.getClassName().startsWith("sun.nio.ch."));
	}

	/** The session in which the attempt waits. */
	private static @Nullable Long session(Database server, TestDatabase database) {
		List<Long> sessions = database.direct()
			.queryForList((server == Database.POSTGRESQL)
					? "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'WITH held%'"
					: "SELECT id FROM information_schema.processlist WHERE info LIKE 'INSERT INTO distlock_lock%'",
					Long.class);
		return sessions.isEmpty() ? null : sessions.get(0);
	}

	private static List<Long> sessions(Database server, TestDatabase database) {
		return database.direct()
			.queryForList((server == Database.POSTGRESQL) ? "SELECT pid FROM pg_stat_activity"
					: "SELECT id FROM information_schema.processlist", Long.class);
	}

	/** What an application may put around its pool, or use in place of one. */
	static Stream<Arguments> theThreadOfTheCallerSendsAlsoBehindAProxyOrInATransactionButNotToAnotherSource() {
		return Stream.of(source("none", true, (pool) -> pool),
				source("transaction aware", true, TransactionAwareDataSourceProxy::new),
				source("lazy", true, LazyConnectionDataSourceProxy::new),
				source("delegating", true, DelegatingDataSource::new),
				source("routing with a default", true, (pool) -> routing(Map.of(), pool)),
				source("routing by tenant", false, (pool) -> routing(Map.of("tenant", pool), null)),
				// The pools that Spring Boot makes besides Hikari.
				source("Tomcat", false, (pool) -> other(pool, "org.apache.tomcat.jdbc.pool.DataSource")),
				source("DBCP", false, (pool) -> other(pool, "org.apache.commons.dbcp2.BasicDataSource")),
				source("another source behind the pool", false, (pool) -> {
					HikariConfig settings = new HikariConfig();
					settings.setDataSource(new DriverManagerDataSource(pool.getJdbcUrl(), pool.getUsername(), ""));
					settings.setMaximumPoolSize(4);
					return new HikariDataSource(settings);
				}));
	}

	private static Arguments source(String name, boolean sends, Function<HikariDataSource, DataSource> source) {
		return Arguments.argumentSet(name, sends, source);
	}

	private static DataSource other(HikariDataSource pool, String type) {
		return DataSourceBuilder.derivedFrom(pool)
			.type(ClassUtils.resolveClassName(type, null).asSubclass(DataSource.class))
			.build();
	}

	/** A tenant is always known. */
	private static DataSource routing(Map<Object, Object> targets, @Nullable DataSource defaultTarget) {
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return "tenant";
			}

		};
		routing.setTargetDataSources(targets);
		if (defaultTarget != null) {
			routing.setDefaultTargetDataSource(defaultTarget);
		}
		routing.afterPropertiesSet();
		return routing;
	}

	/** A free row that another session has locked. */
	private static final class BlockedRow implements AutoCloseable {

		private final Connection session;

		BlockedRow(TestDatabase database, JdbcNode node, String key) throws SQLException {
			Ticket ticket = node.hold(key);
			assertThat(node.release(ticket)).isTrue();
			this.session = new DriverManagerDataSource(database.url(), database.user(), "").getConnection();
			this.session.setAutoCommit(false);
			try (PreparedStatement statement = this.session
				.prepareStatement("SELECT fence FROM distlock_lock WHERE lock_key = ? FOR UPDATE")) {
				statement.setBytes(1, LeaseModeTests.bytes(key));
				assertThat(statement.executeQuery().next()).isTrue();
			}
		}

		void free() throws SQLException {
			this.session.rollback();
		}

		@Override
		public void close() throws SQLException {
			this.session.close();
		}

	}

}
