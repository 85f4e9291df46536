package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Properties of the mode {@code lease} beyond the contract, on each database: also what
 * an operator sees and does, and what the former holder and the next caller see when a
 * grant was ended.
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
		HikariDataSource pool = this.nodes.closing(server.open().pool(4));
		JdbcNode one = this.nodes.closing(JdbcNode.lease(pool));
		JdbcNode two = this.nodes.closing(JdbcNode.lease(pool));
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
		JdbcTemplate jdbc = database.direct();
		Integer count = jdbc.queryForObject("SELECT COUNT(*) FROM distlock_lock WHERE lock_key = ?", Integer.class,
				bytes(this.key + ending));
		return (count != null) ? count : -1;
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
		HikariDataSource pool = this.nodes.closing(database.pool(4));
		JdbcNode node = this.nodes.closing(JdbcNode.named(pool, this.prefix, false));
		JdbcNode other = this.nodes.closing(JdbcNode.named(pool, this.prefix, false));
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
		HikariDataSource pool = this.nodes.closing(server.open().pool(4));
		JdbcNode node = this.nodes.closing(JdbcNode.named(pool, this.prefix, false));
		JdbcNode other = this.nodes.closing(JdbcNode.named(pool, this.prefix, false));
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

}
