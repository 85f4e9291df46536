package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.installed.Installed;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * The connections and statements of the mode {@code lease}, and connections that cannot
 * be prepared or restored.
 */
@Tag(Installed.TAG)
class LeaseConnectionTests {

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String key = "connection-" + UUID.randomUUID();

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
				Ticket ticket = node.hold(this.key);
				assertThat(node.release(ticket)).isTrue();
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

	private void assertThatNoCommandUsesTheConnectionOf(BrokenPool.Answer answer) {
		BrokenPool connections = new BrokenPool(TestDatabase.postgres());
		JdbcNode node = this.nodes.lease(connections.pool());
		Ticket ticket = node.ticket(this.key);
		connections.next.add(answer);
		assertThatThrownBy(() -> node.attempt(ticket)).isInstanceOf(LockBackendException.class);
		Connection broken = connections.used.get(connections.used.size() - 1);
		connections.used.clear();
		// The database has executed the command whose answer was lost.
		node.take(ticket);
		assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		assertThat(connections.used).hasSize(2).doesNotContain(broken);
		await().until(broken::isClosed);
	}

	@Test
	void anErrorWhileAConnectionIsPreparedCostsNoConnection() {
		AtomicBoolean fails = new AtomicBoolean();
		HikariConfig settings = new HikariConfig();
		HikariDataSource database = this.nodes.closing(TestDatabase.h2().pool(20));
		settings.setDataSource(new ObservedPool(database, (connection, method, argument) -> {
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
		HikariDataSource pool = this.nodes.closing(new HikariDataSource(settings));
		JdbcNode node = this.nodes.closing(JdbcNode.lease(pool));
		JdbcNode other = this.nodes.closing(JdbcNode.lease(pool));
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
		return new UnknownPool(pool) {

			@Override
			public Connection getConnection() throws SQLException {
				long begin = System.nanoTime();
				while (System.nanoTime() - begin < 100_000_000) {
					LockSupport.parkNanos(100_000_000);
				}
				return super.getConnection();
			}

		};
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
	private static ObservedPool counting(HikariDataSource pool, List<String> sent) {
		return new ObservedPool(pool, (connection, method, argument) -> {
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
					LeaseModeTests.bytes(this.key));
	}

	@Test
	void aStatementThatCollidedIsRepeatedInANewTransaction() {
		HikariDataSource hikari = this.nodes
			.closing(TestDatabase.postgres().pool(10, (settings) -> settings.setAutoCommit(false)));
		AtomicBoolean collision = new AtomicBoolean();
		ObservedPool pool = new ObservedPool(hikari, (connection, method, argument) -> {
			if (method.equals("prepareStatement") && collision.compareAndSet(true, false)) {
				// As if another session had just inserted the key.
				try (Statement statement = connection.createStatement()) {
					statement.execute("INSERT INTO distlock_lock SELECT * FROM distlock_lock");
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
		lazy.setTargetDataSource(new ObservedPool(new UnknownPool(database) {

			@Override
			public Connection getConnection() throws SQLException {
				if (full.getAndSet(false)) {
					throw new SQLException("all connections are in use");
				}
				return super.getConnection();
			}

		}, this::observe));
		LockPool source = new LockPool(lazy, JdbcUnderTest.SETTINGS, 3, 3, "lease");
		assertThatThrownBy(() -> source.open(LIMIT)).hasMessageContaining("in use");
		assertThat(this.calls).isEmpty();
	}

	private LockPool source() {
		DriverManagerDataSource database = new DriverManagerDataSource("jdbc:h2:mem:", "sa", "");
		return new LockPool(new ObservedPool(new UnknownPool(database) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
				return connection;
			}

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
