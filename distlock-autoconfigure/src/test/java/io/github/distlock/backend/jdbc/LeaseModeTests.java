package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.jdbc.BadSqlGrammarException;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcLeaseStore.PollSchedule;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.StoreNode;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Properties of the mode {@code lease} beyond the contract, on each database: also what
 * an operator sees and does, and what the former holder and the next caller see when a
 * grant was ended; its connections and statements, and connections that cannot be
 * prepared or restored.
 */
@Tag(Installed.TAG)
class LeaseModeTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1000;

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String key = "it's-" + UUID.randomUUID();

	private final String prefix = UUID.randomUUID() + ":";

	@ParameterizedTest
	@EnumSource
	void aTokenIsHigherThanTheLastOneEvenIfTheClockWasSetBack(Database server) {
		TestDatabase database = server.open();
		JdbcNode node = this.nodes.lease(database.pool(2));
		node.take(node.ticket(this.key));
		long ahead = nowMicros() + HOUR_MICROS;
		database.direct()
			.update("UPDATE distlock_lock SET fence = ?, expires_at = 0 WHERE lock_key = ?", ahead, bytes(this.key));
		Ticket ticket = node.ticket(this.key);
		Grant grant = node.take(ticket);
		assertThat(grant.firstToken()).isEqualTo(ahead + 1);
		assertThat(grant.lastToken()).isEqualTo(ahead + 17);
		Answers.of(node.store.release(ticket, ahead + 3, null));
		assertThat(node.take(node.ticket(this.key)).firstToken()).isEqualTo(ahead + 4);
	}

	@ParameterizedTest
	@EnumSource
	void cleanUpDeletesUnusedRowsAndKeepsATokenThatIsAheadOfTheClock(Database server) {
		TestDatabase database = server.open();
		insert(database, "stale", nowMicros() - HOUR_MICROS, nowMicros() - HOUR_MICROS);
		insert(database, "ahead", nowMicros() + HOUR_MICROS, nowMicros() - HOUR_MICROS);
		insert(database, "fresh", nowMicros() - HOUR_MICROS, nowMicros() + HOUR_MICROS);
		JdbcNode node = this.nodes.lease(database.pool(2));
		await().atMost(Duration.ofSeconds(60)).until(() -> count(database, "stale") == 0);
		assertThat(count(database, "ahead")).isEqualTo(1);
		assertThat(count(database, "fresh")).isEqualTo(1);
		assertThat(node.attemptOnce(this.key + "stale")).isInstanceOf(Grant.class);
	}

	@ParameterizedTest
	@EnumSource
	void aReleaseLeavesTheLockToAnotherJvmThatHasAskedForItRecently(Database server) {
		JdbcNode one = this.nodes.lease(server.open().pool(4));
		JdbcNode two = this.nodes.lease(server.open().pool(4));
		Ticket holder = one.hold(this.key);
		Ticket waiter = two.ticket(this.key);
		assertThat(two.attempt(waiter)).isInstanceOf(AttemptResult.Queued.class);
		Ticket next = one.ticket(this.key);
		assertThat(Answers.of(one.store.release(holder, 0, new Successor(next, JdbcNode.LEASE))).next())
			.isInstanceOf(AttemptResult.Queued.class);
		two.take(waiter);
		assertThat(one.attempt(next)).isInstanceOf(AttemptResult.Queued.class);
	}

	/** Mostly waits. */
	@ParameterizedTest
	@EnumSource
	@Execution(ExecutionMode.CONCURRENT)
	void aRowThatAnotherSessionHasLockedCostsNoNeighbour(Database server) throws SQLException {
		TestDatabase database = server.open();
		HikariDataSource pool = this.nodes.closing(database.pool(2));
		JdbcNode node = this.nodes.closing(JdbcNode.lease(pool));
		Connection other = this.nodes.closing(pool.getConnection());
		Duration lease = Duration.ofMinutes(10);
		List<Renewal> renewals = IntStream.range(0, 3)
			.mapToObj((i) -> node.ticket(this.key + i))
			.map((ticket) -> new Renewal(ticket, StoreNode.granted(node.attempt(ticket, lease, true)).lastToken(),
					lease))
			.toList();
		other.setAutoCommit(false);
		try (PreparedStatement row = other
			.prepareStatement("SELECT lock_key FROM distlock_lock WHERE lock_key = ? FOR UPDATE")) {
			row.setBytes(1, bytes(this.key + 1));
			row.execute();
		}
		// The database ends the wait for the row before the command times out.
		assertThat(Answers.of(node.store.renew(renewals)))
			.allSatisfy((result) -> assertThat(result).isInstanceOfSatisfying(RenewalResult.Unknown.class,
					(unknown) -> assertThat(unknown.refused()).as(unknown.cause().getMessage()).isTrue()));
		List<RenewalResult> alone = renewals.stream()
			.map((each) -> Answers.of(node.store.renew(List.of(each))).get(0))
			.toList();
		assertThat(List.of(alone.get(0), alone.get(2))).hasOnlyElementsOfType(RenewalResult.Extended.class);
		assertThat(alone.get(1)).isInstanceOfSatisfying(RenewalResult.Unknown.class,
				(unknown) -> assertThat(unknown.cause()).hasMessageContaining("'" + this.key + "1'"));
		other.rollback();
	}

	@Test
	void anErrorBeforeACommandIsSentUsesNoTurnUp() {
		AtomicInteger failures = new AtomicInteger();
		TimeSource clock = new TimeSource() {

			@Override
			public long nanoTime() {
				if (failures.get() > 0 && isBeforeSending()) {
					failures.decrementAndGet();
					throw new InternalError("injected by the clock");
				}
				return SYSTEM.nanoTime();
			}

			@Override
			public long wallMillis() {
				return SYSTEM.wallMillis();
			}

		};
		HikariDataSource pool = this.nodes.closing(TestDatabase.h2().pool(2));
		JdbcNode node = this.nodes.closing(new JdbcNode(JdbcBackend.lease(pool, JdbcUnderTest.SETTINGS, clock)));
		// As many as attempts have turns.
		for (int i = 1; i < JdbcUnderTest.SETTINGS.poolSize(); i++) {
			failures.set(1);
			assertThatExceptionOfType(InternalError.class).isThrownBy(() -> node.attemptOnce(this.key));
		}
		assertThat(node.attemptOnce(this.key)).isInstanceOf(Grant.class);
	}

	/** The command has its turn, and no thread that sends it. */
	private static boolean isBeforeSending() {
		List<String> methods = StackWalker.getInstance()
			.walk((frames) -> frames.map(StackWalker.StackFrame::getMethodName).limit(6).toList());
		return methods.contains("remaining") && methods.contains("attempt") && !methods.contains("awaitTurn")
				&& !methods.contains("execute");
	}

	private void insert(TestDatabase database, String ending, long fence, long expires) {
		database.direct()
			.update("INSERT INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at) VALUES (?, '', ?, ?, 0)",
					bytes(this.key + ending), fence, expires);
	}

	private int count(TestDatabase database, String ending) {
		return database.direct()
			.queryForList("SELECT fence FROM distlock_lock WHERE lock_key = ?", bytes(this.key + ending))
			.size();
	}

	static byte[] bytes(String key) {
		return ("distlock:" + key).getBytes(StandardCharsets.UTF_8);
	}

	private static long nowMicros() {
		return TimeSource.SYSTEM.wallMillis() * 1000;
	}

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
		JdbcNode node = this.nodes.named(database.pool(4), this.prefix, false);
		JdbcNode other = this.nodes.named(database.pool(4), this.prefix, false);
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
		JdbcNode node = this.nodes.named(server.open().pool(4), this.prefix, false);
		JdbcNode other = this.nodes.named(server.open().pool(4), this.prefix, false);
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

	/** Times are in milliseconds, and so is the interval of 100. */
	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', textBlock = """
			a lock that is held for long is polled once per interval | owner | 30000 | 100 | true | 1 | 100
			with jitter | owner | 30000 | 100 | true | 0 | 75
			a young grant is polled as often as it is old | owner | 30000 | 40 | true | 0 | 30
			but not without a pause | owner | 30000 | 0 | true | 0 | 9.375
			with notifications a young grant is polled once per interval | owner | 30000 | 0 | false | 0 | 75
			a lease that ends soon is polled at its end | owner | 20 | 100 | true | 0 | 21
			or after a pause | owner | 0 | 100 | true | 0 | 10
			a free lock is left to other JVMs for more than an interval | '' | 0 | 0 | true | 0 | 110
			""")
	void aTicketAttemptsAgainAfter(String name, String owner, long remaining, long grantAge, boolean polls,
			double random, double expected) {
		PollSchedule schedule = new PollSchedule(100_000, () -> random);
		LeaseRow row = new LeaseRow(owner, 1, Duration.ofMillis(remaining), 1, TimeSource.SYSTEM.now());
		assertThat(schedule.retryAfter(row, Duration.ofMillis(grantAge), polls))
			.isEqualTo(Duration.ofNanos((long) (expected * 1_000_000)));
	}

	@ParameterizedTest
	@EnumSource
	void theTransactionOfTheCallerIsNotJoined(Database server) {
		HikariDataSource pool = this.nodes.closing(server.open().pool(3));
		JdbcNode node = this.nodes.closing(JdbcNode.lease(new TransactionAwareDataSourceProxy(pool)));
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
		Ticket ticket = node.ticket(this.key);
		transaction.executeWithoutResult((status) -> {
			node.take(ticket);
			status.setRollbackOnly();
		});
		assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		transaction.executeWithoutResult((status) -> {
			assertThat(node.release(ticket)).isTrue();
			status.setRollbackOnly();
		});
		assertThat(node.attemptOnce(this.key)).isInstanceOf(Grant.class);
	}

	@ParameterizedTest
	@EnumSource
	void locksWorkWhileTheCallersUseAllConnectionsOfTheApplication(Database server) {
		HikariDataSource pool = this.nodes.closing(server.open().pool(1));
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
		transaction.executeWithoutResult((status) -> {
			try (JdbcNode node = JdbcNode.lease(pool)) {
				assertThat(node.release(node.hold(this.key))).isTrue();
			}
			assertThat(pool.getHikariPoolMXBean().getThreadsAwaitingConnection()).isZero();
			assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isOne();
		});
	}

	@Test
	void theErrorNamesAnUnknownPoolWhoseOnlyConnectionTheCallerUses() {
		HikariDataSource pool = this.nodes.closing(TestDatabase.h2().pool(1));
		JdbcNode node = this.nodes.closing(JdbcNode.impatient(new UnknownPool(pool)));
		JdbcNode patient = this.nodes.closing(JdbcNode.lease(new UnknownPool(pool)));
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
		transaction.executeWithoutResult((status) -> assertThatThrownBy(() -> node.attemptOnce(this.key))
			.isInstanceOf(LockBackendException.class)
			.hasMessageContaining("all connections of the DataSource are in use")
			.hasMessageContaining("distlock.jdbc.data-source"));
		// The attempt that timed out was not sent later.
		assertThat(patient.attemptOnce(this.key)).isInstanceOf(Grant.class);
	}

	@Test
	void noCommandUsesAConnectionAfterAnErrorInTheMiddleOfAStatement() {
		assertThatNoCommandUsesTheConnectionOf((connection) -> {
			throw new OutOfMemoryError("of a test");
		});
	}

	@Test
	void noCommandUsesAConnectionAfterAReplyOfAnotherForm() {
		assertThatNoCommandUsesTheConnectionOf(
				(connection) -> connection.createStatement().executeQuery("SELECT 'a', 'b', 'c', 'd'"));
	}

	private void assertThatNoCommandUsesTheConnectionOf(Answer answer) {
		HikariConfig settings = new HikariConfig();
		settings.setDataSource(answering());
		settings.setMaximumPoolSize(2);
		JdbcNode node = this.nodes.lease(new HikariDataSource(settings));
		Ticket ticket = node.ticket(this.key);
		this.answers.add(answer);
		assertThatThrownBy(() -> node.attempt(ticket)).isInstanceOf(LockBackendException.class);
		Connection broken = this.used.get(this.used.size() - 1);
		this.used.clear();
		// The database has executed the command whose answer was lost.
		node.take(ticket);
		assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		assertThat(this.used).hasSize(2).doesNotContain(broken);
		await().until(broken::isClosed);
	}

	/** Replaces the next answer to an attempt, after the database has sent it. */
	private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

	/** The connection of each attempt. */
	private final List<Connection> used = new CopyOnWriteArrayList<>();

	private UnknownPool answering() {
		DataSource database = Objects.requireNonNull(TestDatabase.postgres().direct().getDataSource());
		return new UnknownPool(() -> {
			Connection connection = database.getConnection();
			return ProxyFactory.getProxy(Connection.class, (MethodInterceptor) (call) -> {
				Object result = forwarded(call, connection);
				boolean attempt = call.getMethod().getName().equals("prepareStatement")
						&& String.valueOf(call.getArguments()[0]).startsWith("WITH held");
				return attempt
						? ProxyFactory.getProxy(PreparedStatement.class,
								(MethodInterceptor) (read) -> answer(connection, read, forwarded(read, result)))
						: result;
			});
		}, null);
	}

	private @Nullable Object answer(Connection connection, MethodInvocation read, @Nullable Object result)
			throws SQLException {
		if (!read.getMethod().getName().equals("getResultSet")) {
			return result;
		}
		this.used.add(connection);
		Answer answer = this.answers.poll();
		return (answer != null) ? answer.to(connection) : result;
	}

	private static @Nullable Object forwarded(MethodInvocation call, @Nullable Object target) throws Throwable {
		return AopUtils.invokeJoinpointUsingReflection(target, call.getMethod(), call.getArguments());
	}

	/** An answer instead of that of the database. */
	private interface Answer {

		ResultSet to(Connection connection) throws SQLException;

	}

	@Test
	void anErrorWhileAConnectionIsPreparedCostsNoConnection() {
		AtomicBoolean fails = new AtomicBoolean();
		HikariConfig settings = new HikariConfig();
		HikariDataSource database = this.nodes.closing(TestDatabase.h2().pool(20));
		settings.setDataSource(new UnknownPool(database, (connection, method, argument) -> {
			boolean prepares = method.equals("getAutoCommit") && Stream.of(new Throwable().getStackTrace())
				.anyMatch((frame) -> frame.getClassName().equals(LockConnection.class.getName()));
			if (prepares && fails.get()) {
				throw new OutOfMemoryError("of a test");
			}
		}));
		JdbcNode node = this.nodes.lease(new HikariDataSource(settings));
		fails.set(true);
		// More than the locks have connections.
		for (int i = 0; i < 8; i++) {
			assertThatThrownBy(() -> node.attemptOnce(this.key)).isInstanceOf(LockBackendException.class)
				.hasRootCauseInstanceOf(OutOfMemoryError.class);
		}
		fails.set(false);
		node.take(node.ticket(this.key));
	}

	@Test
	void aPeriodicTaskIsRepeatedAfterAnError() {
		HikariDataSource pool = this.nodes.closing(TestDatabase.h2().pool(1));
		AtomicInteger runs = new AtomicInteger();
		JdbcCommands commands = new JdbcCommands(new LockPool(pool, JdbcUnderTest.SETTINGS, 3, 3, "lease"), 1, 1,
				JdbcUnderTest.SETTINGS, TimeSource.SYSTEM, () -> {
				});
		commands.every(Duration.ofMillis(1), () -> {
			runs.incrementAndGet();
			throw new OutOfMemoryError("of a test");
		});
		await().until(() -> runs.get() > 2);
		commands.stop();
	}

	@ParameterizedTest
	@EnumSource
	void statementsAreCommittedOnAPoolWithoutAutoCommit(Database server) {
		HikariConfig settings = server.open().poolSettings(2);
		settings.setAutoCommit(false);
		settings.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
		JdbcNode node = this.nodes.lease(new HikariDataSource(settings));
		JdbcNode other = this.nodes.lease(new HikariDataSource(settings));
		Ticket ticket = node.hold(this.key);
		assertThat(other.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		assertThat(node.release(ticket)).isTrue();
		other.take(other.ticket(this.key));
	}

	@Test
	void anUncontendedCycleIsTwoStatements() {
		List<String> sent = new CopyOnWriteArrayList<>();
		HikariDataSource pool = this.nodes.closing(TestDatabase.postgres().pool(2));
		JdbcNode node = this.nodes.closing(JdbcNode.lease(counting(pool, sent)));
		node.release(node.hold(this.key + "warm"));
		List<List<String>> cycles = new ArrayList<>();
		// The clean-up adds to some of them.
		for (int i = 0; i < 10; i++) {
			sent.clear();
			node.release(node.hold(this.key));
			cycles.add(List.copyOf(sent));
		}
		List<String> cycle = Collections.min(cycles, Comparator.comparing(List::size));
		assertThat(cycle).hasSize(2);
		assertThat(cycle.get(0)).startsWith("WITH held").contains("INSERT");
		assertThat(cycle.get(1)).startsWith("WITH released").contains("UPDATE");
	}

	@Test
	void eachConnectionOfTheLocksPreparesAStatementOnce() {
		List<String> sent = new CopyOnWriteArrayList<>();
		HikariConfig settings = new HikariConfig();
		HikariDataSource pool = this.nodes.closing(TestDatabase.postgres().pool(10));
		settings.setDataSource(counting(pool, sent));
		JdbcNode node = this.nodes.lease(new HikariDataSource(settings));
		for (int i = 0; i < 20; i++) {
			node.release(node.hold(this.key));
		}
		// One for each connection of the locks.
		assertThat(sent).filteredOn((sql) -> sql.startsWith("WITH held")).hasSizeBetween(1, 3);
		assertThat(sent).filteredOn((sql) -> sql.startsWith("WITH released")).hasSizeBetween(1, 3);
	}

	@Test
	void theTimeInWhichAConnectionIsBorrowedIsNoLongerLeftForTheStatement() throws SQLException {
		HikariDataSource pool = this.nodes.closing(TestDatabase.postgres().pool(2));
		LockPool source = this.nodes.closing(new LockPool(slow(pool), JdbcUnderTest.SETTINGS, 3, 3, "lease"));
		LockConnection connection = this.nodes.closing(source.open(Duration.ofMinutes(1)));
		assertThat(connection.driver.getNetworkTimeout()).isBetween(1, 59_900);
	}

	/** A pool that has a connection only after a tenth of a second. */
	private static UnknownPool slow(HikariDataSource pool) {
		return new UnknownPool(() -> {
			long begin = System.nanoTime();
			while (System.nanoTime() - begin < 100_000_000) {
				LockSupport.parkNanos(100_000_000);
			}
			return pool.getConnection();
		}, null);
	}

	@Test
	void contendedAttemptsCauseNoRollbackInTheDatabase() {
		try (HikariDataSource pool = TestDatabase.postgres("rollbacks").pool(2); JdbcNode node = JdbcNode.lease(pool)) {
			node.hold(this.key);
			for (int i = 0; i < 50; i++) {
				assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
			}
		}
		JdbcTemplate jdbc = TestDatabase.postgres().direct();
		String rollbacks = "SELECT xact_rollback FROM pg_stat_database WHERE datname = 'rollbacks'";
		// A session updates the numbers at its end.
		await().atMost(Duration.ofSeconds(30))
			.until(() -> !jdbc.queryForList(rollbacks + " AND numbackends = 0 AND xact_commit > 50").isEmpty());
		assertThat(jdbc.queryForObject(rollbacks, Long.class)).isZero();
	}

	/**
	 * Record all calls that become a round trip, except the validation of the pool.
	 */
	private static UnknownPool counting(HikariDataSource pool, List<String> sent) {
		return new UnknownPool(pool, (connection, method, argument) -> {
			if (method.equals("prepareStatement")) {
				sent.add((String) argument);
			}
			else if (List.of("commit", "rollback", "setAutoCommit", "setTransactionIsolation").contains(method)) {
				sent.add(method);
			}
		});
	}

	@Test
	void aBusyAttemptWritesNothingInPostgreSql() {
		TestDatabase database = TestDatabase.postgres();
		JdbcNode node = this.nodes.lease(database.pool(4));
		Ticket holder = node.hold(this.key);
		Map<String, Object> before = version(database);
		for (int i = 0; i < 10; i++) {
			assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		}
		assertThat(version(database)).isEqualTo(before);
		// A repeated attempt has the result of the first one.
		node.take(holder);
		assertThat(version(database)).isEqualTo(before);
		assertThat(node.release(holder)).isTrue();
	}

	/** Changes with each write and with each lock of the row. */
	private Map<String, Object> version(TestDatabase database) {
		return database.direct()
			.queryForMap("SELECT ctid::text, xmin::text, xmax::text FROM distlock_lock WHERE lock_key = ?",
					bytes(this.key));
	}

	@Test
	void aStatementThatCollidedIsRepeatedInANewTransaction() {
		HikariDataSource hikari = this.nodes
			.closing(TestDatabase.postgres().pool(10, (settings) -> settings.setAutoCommit(false)));
		AtomicBoolean collision = new AtomicBoolean();
		UnknownPool pool = new UnknownPool(hikari, (connection, method, argument) -> {
			if (method.equals("prepareStatement") && collision.compareAndSet(true, false)) {
				// As if another session had just inserted the key.
				try (Statement statement = connection.createStatement()) {
					statement.execute("INSERT INTO distlock_lock SELECT * FROM distlock_lock WHERE lock_key = '\\x"
							+ HexFormat.of().formatHex(bytes(this.key)) + "'");
				}
			}
		});
		JdbcNode node = this.nodes.closing(JdbcNode.lease(pool));
		Ticket ticket = node.hold(this.key);
		collision.set(true);
		assertThat(node.release(ticket)).isTrue();
		assertThat(collision).isFalse();
	}

	private static final Duration LIMIT = Duration.ofSeconds(2);

	private final List<String> calls = new ArrayList<>();

	/** The connection fails to set this isolation level. */
	private int failingLevel = -1;

	private boolean failingRollback;

	@Test
	void aConnectionThatCannotBeRestoredIsCutOffBeforeItIsClosed() throws SQLException {
		LockConnection connection = source().open(LIMIT);
		this.failingLevel = Connection.TRANSACTION_SERIALIZABLE;
		connection.close();
		assertThat(this.calls).containsExactly("isolation 2", "isolation 8", "abort", "close");
	}

	@Test
	void aConnectionThatCannotBePreparedIsCutOffBeforeItIsClosed() {
		this.failingLevel = Connection.TRANSACTION_READ_COMMITTED;
		assertThatThrownBy(() -> source().open(LIMIT)).isInstanceOf(SQLException.class);
		assertThat(this.calls).containsExactly("isolation 2", "abort", "close");
	}

	@Test
	void aConnectionWhoseRollbackFailsIsCutOffAndTheFailureOfTheStatementIsReported() throws SQLException {
		LockConnection connection = source().open(LIMIT);
		this.failingRollback = true;
		assertThatThrownBy(
				() -> connection.inTransaction(() -> connection.query("stale", Map.of(), (row, number) -> true)))
			.isInstanceOf(BadSqlGrammarException.class);
		connection.close();
		assertThat(this.calls).containsSubsequence("rollback", "abort", "close");
	}

	@Test
	void noHealthyConnectionIsCutOffForALazyOneThatGetsNone() {
		DriverManagerDataSource database = new DriverManagerDataSource("jdbc:h2:mem:", "sa", "");
		AtomicBoolean full = new AtomicBoolean(true);
		LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy();
		lazy.setDefaultAutoCommit(true);
		lazy.setDefaultTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		lazy.setTargetDataSource(new UnknownPool(() -> {
			if (full.getAndSet(false)) {
				throw new SQLException("all connections are in use");
			}
			return database.getConnection();
		}, this::observe));
		LockPool source = new LockPool(lazy, JdbcUnderTest.SETTINGS, 3, 3, "lease");
		assertThatThrownBy(() -> source.open(LIMIT)).hasMessageContaining("in use");
		assertThat(this.calls).isEmpty();
	}

	private LockPool source() {
		DriverManagerDataSource database = new DriverManagerDataSource("jdbc:h2:mem:", "sa", "");
		return new LockPool(new UnknownPool(() -> {
			Connection connection = database.getConnection();
			connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
			return connection;
		}, this::observe), JdbcUnderTest.SETTINGS, 3, 3, "lease");
	}

	private void observe(Connection connection, String method, @Nullable Object argument) throws SQLException {
		if (method.equals("setTransactionIsolation")) {
			this.calls.add("isolation " + argument);
		}
		else if (List.of("rollback", "abort", "close").contains(method)) {
			this.calls.add(method);
		}
		if ((this.failingRollback && method.equals("rollback"))
				|| (method.equals("setTransactionIsolation") && Integer.valueOf(this.failingLevel).equals(argument))) {
			throw new SQLException("broken");
		}
	}

}
