package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.testing.RecordedEvents;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.test.jdbc.JdbcTestUtils;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Properties of the mode {@code connection} beyond the contract: also locks whose session
 * cannot be checked, on pools of the application. No proof is no lock, and no commit.
 */
@Tag(Installed.TAG)
class ConnectionModeTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String key = "connection-" + UUID.randomUUID();

	private final RecordedEvents events = new RecordedEvents();

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aPoolOfReadOnlyConnectionsHoldsRowsAndGetsThemBackAsTheyWere(Database server) {
		List<Boolean> closed = new CopyOnWriteArrayList<>();
		HikariDataSource pool = this.nodes.closing(server.open().pool(4, (settings) -> settings.setReadOnly(true)));
		JdbcNode node = this.nodes.closing(JdbcNode.connection(new UnknownPool(pool, (connection, method, argument) -> {
			if (method.equals("close")) {
				closed.add(connection.isReadOnly());
			}
		})));
		assertThat(node.release(node.hold(this.key))).isTrue();
		assertThat(closed).isNotEmpty().containsOnly(true);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void theLockOfAKilledJvmIsFreeAtOnce(Database server) {
		TestDatabase database = server.open();
		ChildJvm holder = this.nodes.closing(ChildJvm.start(JdbcNode.class, database.platform(), database.url(),
				database.user(), this.key, Long.toString(PATIENCE.multipliedBy(4).toMillis())));
		JdbcNode node = this.nodes.connection(database.pool(4));
		long token = Long.parseLong(holder.expect("held "));
		assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		Ticket waiter = node.ticket(this.key);
		assertThat(node.attempt(waiter)).isInstanceOf(AttemptResult.Queued.class);
		holder.kill();
		// Long before the end of the lease.
		await().atMost(PATIENCE).until(() -> node.has(waiter));
		assertThat(node.take(waiter).firstToken()).isGreaterThan(token + 16);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aLockIsLostWhenTheDatabaseEndsItsTransaction(Database server) {
		TestDatabase database = server.open();
		JdbcNode node = this.nodes.connection(database.pool(4));
		Ticket ticket = node.ticket(this.key);
		Grant grant = node.take(ticket);
		List<Renewal> renewal = List.of(new Renewal(ticket, grant.lastToken(), JdbcNode.LEASE));
		assertThat(Answers.of(node.store.renew(renewal))).singleElement()
			.isInstanceOfSatisfying(RenewalResult.Extended.class,
					(renewed) -> assertThat(renewed.validity().sessionBound()).isTrue());
		endOtherSessions(server, database);
		await().atMost(PATIENCE).until(() -> node.doubted.contains(ticket));
		assertThat(Answers.of(node.store.renew(renewal))).containsExactly(new RenewalResult.Gone(false));
		assertThat(node.release(ticket)).isFalse();
		node.take(node.ticket(this.key));
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "MARIADB" })
	void theRowOfAFreeLockIsRefusedWhileItIsDeletedAndWaitedFor(Database server) throws Exception {
		HikariDataSource pool = this.nodes.closing(server.open().pool(6));
		JdbcNode node = this.nodes.closing(JdbcNode.connection(pool));
		Connection cleanUp = this.nodes.closing(pool.getConnection());
		node.release(node.hold(this.key));
		cleanUp.setAutoCommit(false);
		assertThat(cleanUp.createStatement()
			.executeUpdate("DELETE FROM distlock_lock WHERE lock_key = X'" + HexFormat.of().formatHex(bytes()) + "'"))
			.isOne();
		assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		Ticket waiter = node.queue(this.key);
		cleanUp.commit();
		await().atMost(PATIENCE).until(() -> node.has(waiter));
	}

	@ParameterizedTest
	@EnumSource
	void anAttemptBeyondTheMaximumNumberOfConnectionsWaitsOrFails(Database server) {
		JdbcNode node = this.nodes.connection(server.open().pool(5), 2);
		Ticket first = node.hold(this.key + 1);
		Ticket second = node.hold(this.key + 2);
		assertThatThrownBy(() -> node.attemptOnce(this.key + 3)).isInstanceOf(LockBackendException.class)
			.hasMessageContaining("2 by held locks and 0 by waits")
			.hasMessageContaining("distlock.jdbc.max-connections");
		Ticket third = node.ticket(this.key + 3);
		assertThat(node.attempt(third)).isInstanceOf(AttemptResult.Queued.class);
		Ticket forgotten = node.ticket(this.key + 4);
		node.attempt(forgotten);
		Answers.of(node.store.cancel(forgotten));
		node.release(first);
		await().atMost(PATIENCE).until(() -> node.has(third));
		node.release(second);
		node.release(third);
		assertThat(node.attemptOnce(this.key + 4)).isInstanceOf(Grant.class);
	}

	@Test
	void anErrorWhileAConnectionIsReturnedUsesNoneUp() {
		AtomicBoolean fails = new AtomicBoolean();
		HikariDataSource pool = this.nodes.closing(Database.H2.open().pool(4));
		JdbcNode node = this.nodes.closing(JdbcNode.connection(new UnknownPool(pool, (connection, method, argument) -> {
			// Not that of the clean-up.
			if (method.equals("rollback")
					&& Stream.of(new Throwable().getStackTrace())
						.anyMatch((frame) -> frame.getClassName().equals(ConnectionLock.class.getName()))
					&& fails.getAndSet(false)) {
				throw new StackOverflowError("injected");
			}
		}), 1));
		Ticket ticket = node.hold(this.key);
		fails.set(true);
		assertThatThrownBy(() -> node.release(ticket)).isInstanceOf(LockBackendException.class);
		assertThat(fails).isFalse();
		node.hold(this.key + "next");
	}

	@Test
	void aGrantIsInvalidAfterItsRowHasBeenFreed() {
		HikariDataSource pool = this.nodes.closing(Database.H2.open().pool(4));
		JdbcNode node = JdbcNode.connection(pool);
		Ticket released = node.ticket(this.key);
		Grant first = node.take(released);
		assertThat(first.validity().hasPassed(TimeSource.SYSTEM)).isFalse();
		node.release(released);
		assertThat(first.validity().hasPassed(TimeSource.SYSTEM)).isTrue();
		Grant second = node.take(node.ticket(this.key));
		node.close();
		assertThat(second.validity().hasPassed(TimeSource.SYSTEM)).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void aTicketThatWaitsForAHeldRowLeavesItsConnectionToOthers(Database server) {
		JdbcNode holder = this.nodes.connection(server.open().pool(5));
		JdbcNode node = this.nodes.connection(server.open().pool(5), 1);
		holder.take(holder.ticket(this.key));
		Ticket waiter = node.ticket(this.key);
		assertThat(node.attempt(waiter)).isInstanceOf(AttemptResult.Queued.class);
		Ticket free = node.ticket(this.key + "free");
		node.attempt(free);
		await().atMost(PATIENCE).until(() -> node.has(free));
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "MARIADB" })
	void aRowWithALeaseOfTheOtherModeIsShownAndNotGranted(Database server) {
		HikariDataSource pool = this.nodes.closing(server.open().pool(5));
		JdbcNode lease = this.nodes.closing(JdbcNode.named(pool, "distlock:", false));
		JdbcNode row = this.nodes.closing(JdbcNode.named(pool, "distlock:", true));
		Ticket ticket = lease.ticket(this.key);
		Grant grant = lease.take(ticket);
		assertThat(row.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		assertThat(row.inspection().inspect(this.key).holders()).singleElement()
			.extracting(StoredHolder::grantToken)
			.isEqualTo(grant.firstToken());
		assertThatThrownBy(() -> row.inspection().end(this.key, grant.firstToken()))
			.isInstanceOf(UnsupportedOperationException.class);
		lease.release(ticket);
		assertThat(row.take(row.ticket(this.key)).firstToken()).isGreaterThan(grant.lastToken());
		JdbcNode late = this.nodes.closing(JdbcNode.impatient(pool));
		assertThatThrownBy(() -> late.attemptOnce(this.key)).isInstanceOf(LockBackendException.class);
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "MARIADB" })
	void aTokenIsHigherThanTheLastOneEvenIfTheClockWasSetBack(Database server) {
		TestDatabase database = server.open();
		JdbcNode node = this.nodes.connection(database.pool(3));
		Ticket ticket = node.ticket(this.key);
		Grant grant = node.take(ticket);
		Answers.of(node.store.release(ticket, grant.firstToken(), null));
		long ahead = grant.lastToken() + Duration.ofHours(1).toNanos() / 1000;
		database.direct().update("UPDATE distlock_lock SET fence = ? WHERE lock_key = ?", ahead, bytes());
		Ticket second = node.ticket(this.key);
		assertThat(node.take(second).firstToken()).isEqualTo(ahead + 1);
		Answers.of(node.store.release(second, ahead + 1, null));
		assertThat(node.take(node.ticket(this.key)).firstToken()).isEqualTo(ahead + 2);
	}

	private byte[] bytes() {
		return (JdbcNode.CONNECTION_PREFIX + this.key).getBytes(StandardCharsets.UTF_8);
	}

	private static void endOtherSessions(Database server, TestDatabase database) {
		JdbcTemplate jdbc = database.direct();
		if (server == Database.POSTGRESQL) {
			jdbc.queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in%'");
		}
		else {
			jdbc.queryForList("SELECT id FROM information_schema.innodb_trx JOIN information_schema.processlist"
					+ " ON id = trx_mysql_thread_id", Long.class)
				.forEach((id) -> jdbc.execute("KILL " + id));
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void theReleaseReportsTheLossAndTheNextCallerGetsTheLockInAnotherSession(Database server) throws Exception {
		TestDatabase database = server.open();
		BackendLockRegistry registry = registry(this.nodes.closing(database.pool(8)), JdbcNode.COMMAND);
		HeldLock lock = registry.acquire(LockRequest.of(this.key));
		CompletableFuture<HeldLock> next = registry.acquireAsync(LockRequest.of(this.key).waitTime(PATIENCE));
		await().atMost(PATIENCE).until(() -> this.events.waiting.get() == 1);
		endOtherSessions(server, database);
		assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
		HeldLock second = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		if (server != Database.POSTGRESQL) {
			assertThat(database.direct()
				.queryForList("SELECT fence FROM distlock_lock WHERE lock_key = ? FOR UPDATE SKIP LOCKED", bytes()))
				.as("rows that no session holds")
				.isEmpty();
		}
		assertThat(second.isHeld()).isTrue();
		second.close();
	}

	private final CountDownLatch end = new CountDownLatch(1);

	private final AtomicInteger blocked = new AtomicInteger();

	@AfterEach
	void unblock() {
		this.end.countDown();
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "POSTGRESQL" })
	void aLockWhoseConnectionThePoolHasClosedIsNotConfirmedAndItsHolderLearnsOfTheLoss(Database server) {
		TestDatabase database = server.open();
		BackendLockRegistry registry = registry(abandoning(database), JdbcNode.COMMAND);
		JdbcNode other = this.nodes.connection(database.pool(4));
		HeldLock asked = registry.acquire(LockRequest.of(this.key + 1));
		HeldLock idle = registry.acquire(LockRequest.of(this.key + 2));
		CompletableFuture<LossCause> loss = lossOf(idle);
		awaitGrant(other, this.key + 1);
		assertThat(asked.confirmHeld()).as("with a second holder").isFalse();
		awaitGrant(other, this.key + 2);
		assertThat(loss).succeedsWithin(PATIENCE).isEqualTo(LossCause.SESSION_LOST);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(asked::close);
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "POSTGRESQL" })
	@Execution(ExecutionMode.CONCURRENT)
	void aLockWhoseCheckDoesNotReturnIsNotConfirmedAndItsConnectionIsCutOff(Database server) {
		HikariDataSource pool = this.nodes.closing(server.open().pool(4));
		JdbcNode other = this.nodes.closing(JdbcNode.connection(pool));
		BackendLockRegistry registry = registry(
				new UnknownPool(pool, (connection, method, argument) -> awaitEnd(method)), JdbcNode.SHORT_COMMAND);
		HeldLock lock = registry.acquire(LockRequest.of(this.key));
		await().atMost(PATIENCE).until(() -> this.blocked.get() > 0);
		assertThat(lock.confirmHeld()).as("beside a check that does not return").isFalse();
		awaitGrant(other, this.key);
		HeldLock idle = registry.acquire(LockRequest.of(this.key + "idle"));
		assertThat(lossOf(idle)).succeedsWithin(PATIENCE).isEqualTo(LossCause.SESSION_LOST);
	}

	private static void awaitGrant(JdbcNode node, String key) {
		Ticket ticket = node.ticket(key);
		await().atMost(PATIENCE).until(() -> node.has(ticket));
	}

	private void awaitEnd(String method) {
		if (method.equals("isValid")) {
			this.blocked.incrementAndGet();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private static CompletableFuture<LossCause> lossOf(HeldLock lock) {
		CompletableFuture<LossCause> loss = new CompletableFuture<>();
		lock.onLost(() -> loss.complete(lock.lossCause()));
		return loss;
	}

	private BackendLockRegistry registry(DataSource pool, Duration command) {
		return this.nodes.registry(JdbcBackend.connection(pool,
				JdbcUnderTest.settings(JdbcNode.CONNECTION_PREFIX, command, 80), TimeSource.SYSTEM), PATIENCE, PATIENCE,
				PATIENCE, this.events);
	}

	/** A pool of Tomcat that closes each connection that is in use for six seconds. */
	private DataSource abandoning(TestDatabase database) {
		org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource();
		pool.setUrl(database.url());
		pool.setUsername(database.user());
		pool.setInitialSize(0);
		pool.setMinIdle(0);
		pool.setRemoveAbandoned(true);
		pool.setRemoveAbandonedTimeout(6);
		pool.setTimeBetweenEvictionRunsMillis(1000);
		this.nodes.closing(() -> pool.close(true));
		return pool;
	}

	@AutoClose("shutdown")
	private final EmbeddedDatabase sales = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.build();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.sales);

	private TransactionTemplate guarded() {
		this.jdbc.execute("create table if not exists sales (what varchar)");
		DataSourceTransactionManager manager = new DataSourceTransactionManager(this.sales);
		new CommitGuard(() -> new CommitTerms(true, Duration.ofSeconds(2))).postProcessAfterInitialization(manager,
				"transactions");
		return new TransactionTemplate(manager);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aTransactionIsRolledBackIfTheTransactionOfItsLockHasJustEnded(Database server) {
		TestDatabase database = server.open();
		BackendLockRegistry registry = registry(this.nodes.closing(database.pool(4)), JdbcNode.COMMAND);
		sell(registry, () -> {
		});
		assertThat(sold()).isOne();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> sell(registry, () -> endOtherSessions(server, database)))
			.satisfies((thrown) -> assertThat(thrown.lossCause()).isEqualTo(LossCause.SESSION_LOST))
			.withMessageContaining("the session with the store on which it depends has ended")
			.withMessageNotContaining("lease");
		assertThat(sold()).isOne();
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "POSTGRESQL" })
	void aTransactionIsRolledBackIfThePoolHasClosedTheConnectionOfItsLock(Database server) {
		TestDatabase database = server.open();
		BackendLockRegistry registry = registry(abandoning(database), JdbcNode.COMMAND);
		JdbcNode other = this.nodes.connection(database.pool(2));
		Ticket next = other.ticket(this.key);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> sell(registry, () -> await().atMost(PATIENCE).until(() -> other.has(next))))
			.satisfies((thrown) -> assertThat(thrown.lossCause()).isEqualTo(LossCause.SESSION_LOST));
		assertThat(sold()).isZero();
	}

	private int sold() {
		return JdbcTestUtils.countRowsInTable(this.jdbc, "sales");
	}

	private void sell(BackendLockRegistry registry, Runnable beforeCommit) {
		HeldLock lock = registry.acquire(LockRequest.of(this.key));
		try (LockContext.Scope scope = LockContext.open(lock)) {
			guarded().executeWithoutResult((status) -> {
				this.jdbc.update("insert into sales values ('book')");
				beforeCommit.run();
			});
		}
		finally {
			if (lock.isHeld()) {
				lock.close();
			}
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "MARIADB" })
	void theStatementsOfTheMessageFindAndEndTheSessionOfTheHolder(Database server) {
		String name = "it's-" + this.key;
		TestDatabase database = server.open();
		JdbcTemplate administrator = database.direct();
		JdbcNode node = this.nodes.named(database.pool(4), "distlock:", true);
		JdbcNode other = this.nodes.named(database.pool(4), "distlock:", true);
		assertThatThrownBy(() -> other.inspection().inspect(name)).isInstanceOf(UnsupportedOperationException.class);
		Grant grant = node.take(node.ticket(name));
		String message = String.valueOf(catchThrowableOfType(UnsupportedOperationException.class,
				() -> other.inspection().end(name, grant.firstToken()))
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
				return other.attemptOnce(name) instanceof Grant;
			});
	}

}
