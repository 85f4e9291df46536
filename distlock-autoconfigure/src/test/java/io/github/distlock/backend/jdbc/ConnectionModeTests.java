package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Properties of the mode {@code connection} beyond the contract.
 */
@Tag(Installed.TAG)
class ConnectionModeTests implements LockListener {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String key = "connection-" + UUID.randomUUID();

	private final AtomicInteger waiting = new AtomicInteger();

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aPoolOfReadOnlyConnectionsHoldsRowsAndGetsThemBackAsTheyWere(Database server) {
		List<Boolean> closed = new CopyOnWriteArrayList<>();
		HikariConfig settings = server.open().poolSettings(4);
		settings.setReadOnly(true);
		HikariDataSource pool = this.nodes.closing(new HikariDataSource(settings));
		JdbcNode node = this.nodes
			.closing(JdbcNode.connection(new ObservedPool(pool, (connection, method, argument) -> {
				if (method.equals("close")) {
					closed.add(connection.isReadOnly());
				}
			})));
		Ticket ticket = node.hold(this.key);
		assertThat(node.release(ticket)).isTrue();
		assertThat(closed).isNotEmpty().containsOnly(true);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void theLockOfAKilledJvmIsFreeAtOnce(Database server) {
		TestDatabase database = server.open();
		ChildJvm holder = this.nodes.closing(ChildJvm.start(ConnectionChild.class, database.platform(), database.url(),
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
		JdbcNode node = this.nodes
			.closing(JdbcNode.connection(new ObservedPool(pool, (connection, method, argument) -> {
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
		HikariDataSource pool = this.nodes.closing(server.open().pool(5));
		JdbcNode holder = this.nodes.closing(JdbcNode.connection(pool));
		JdbcNode node = this.nodes.closing(JdbcNode.connection(pool, 1));
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

	static void endOtherSessions(Database server, TestDatabase database) {
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
		HikariDataSource pool = this.nodes.closing(database.pool(8));
		JdbcBackend backend = JdbcBackend.connection(pool, JdbcUnderTest.CONNECTION_SETTINGS, TimeSource.SYSTEM);
		BackendLockRegistry registry = JdbcRegistries.start(backend, PATIENCE, PATIENCE, PATIENCE, this);
		HeldLock lock = registry.acquire(LockRequest.of(this.key));
		CompletableFuture<HeldLock> next = registry.acquireAsync(LockRequest.of(this.key).waitTime(PATIENCE));
		await().atMost(PATIENCE).until(() -> this.waiting.get() == 1);
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
		registry.shutdown();
	}

	@Override
	public void onWaiting(Waiting event) {
		this.waiting.incrementAndGet();
	}

}
