package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreAdministration.EndResult;
import io.github.distlock.backend.StoreAdministration.SweepResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.installed.Installed;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What an operator sees and does in the mode {@code lease}, on each database.
 */
@Tag(Installed.TAG)
class LeaseAdministrationTests {

	private final String key = "administration-" + UUID.randomUUID();

	private final String prefix = UUID.randomUUID() + ":";

	@ParameterizedTest
	@EnumSource
	void anEntryLeadsFromTheIdOfAnInstanceToItsJvmUntilItIsWithdrawn(Database server) {
		try (HikariDataSource pool = server.open().pool(10);
				JdbcNode node = JdbcNode.announced(pool, this.prefix, false);
				JdbcNode other = JdbcNode.announced(pool, this.prefix, false);
				JdbcNode stranger = JdbcNode.announced(pool, this.prefix + "other:", false)) {
			stranger.administration().announce();
			node.administration().announce();
			node.administration().announce();
			assertThat(other.administration().instances()).singleElement().satisfies((entry) -> {
				assertThat(entry.instance().id()).isEqualTo(node.instance());
				assertThat(entry.instance().application()).isEqualTo("order-service");
				assertThat(entry.instance().host()).isEqualTo("host-7");
				assertThat(entry.instance().pid()).isEqualTo(4711);
				assertThat(entry.instance().started()).isEqualTo(Instant.parse("2026-01-02T03:04:05.678Z"));
				assertThat(Duration.between(entry.seen(), Instant.now()).abs()).isLessThan(Duration.ofSeconds(20));
			});
			node.administration().withdraw();
			assertThat(other.administration().instances()).isEmpty();
			stranger.administration().withdraw();
		}
	}

	@ParameterizedTest
	@EnumSource
	void anExpiredEntryDoesNotCountAndIsCleanedUp(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(4); JdbcNode node = JdbcNode.announced(pool, this.prefix, false)) {
			node.administration().announce();
			expire(database, node);
			assertThat(node.administration().instances()).isEmpty();
			await().atMost(Duration.ofSeconds(15))
				.until(() -> database.direct()
					.queryForList("SELECT 1 FROM distlock_instance WHERE id = ?", node.instance())
					.isEmpty());
		}
	}

	@ParameterizedTest
	@EnumSource
	void anInspectionSaysWhatHoldsALockSinceWhenAndForHowLong(Database server) {
		try (HikariDataSource pool = server.open().pool(4);
				JdbcNode node = JdbcNode.announced(pool, this.prefix, false);
				JdbcNode other = JdbcNode.announced(pool, this.prefix, false)) {
			assertThat(other.administration().inspect(this.key).holders()).isEmpty();
			Grant grant = node.take(node.ticket(this.key));
			assertThat(other.administration().inspect(this.key).holders()).singleElement()
				.satisfies((holder) -> isHolder(holder, node, grant));
			assertThat(other.attemptOnce(this.key)).isInstanceOfSatisfying(AttemptResult.Busy.class,
					(busy) -> isHolder(busy.holder(), node, grant));
			assertThat(other.attempt(other.ticket(this.key))).isInstanceOfSatisfying(AttemptResult.Queued.class,
					(queued) -> isHolder(queued.holder(), node, grant));
		}
	}

	private static void isHolder(@Nullable StoredHolder stored, JdbcNode node, Grant grant) {
		StoredHolder holder = Objects.requireNonNull(stored);
		assertThat(holder.instance()).isEqualTo(node.instance());
		assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(holder.grantToken()).isEqualTo(grant.firstToken());
		assertThat(holder.ttl()).isBetween(Duration.ofSeconds(10), JdbcNode.LEASE);
		assertThat(Duration.between(holder.since(), Instant.now()).abs()).isLessThan(Duration.ofSeconds(20));
	}

	@ParameterizedTest
	@EnumSource
	void theGrantOfAnInstanceWithOtherHandOffLimitsIsFoundByItsEntry(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(4);
				JdbcNode node = JdbcNode.announced(pool, this.prefix, false);
				JdbcNode other = JdbcNode.announced(pool, this.prefix, false)) {
			node.administration().announce();
			Grant grant = node.take(node.ticket(this.key));
			database.direct().update("UPDATE distlock_instance SET tokens = 5 WHERE id = ?", node.instance());
			assertThat(other.administration().inspect(this.key).holders()).singleElement()
				.satisfies((holder) -> assertThat(holder.grantToken()).isEqualTo(grant.lastToken() - 4));
		}
	}

	@ParameterizedTest
	@EnumSource
	void exactlyTheGrantWithTheTokenIsEndedAndTheNextTokenIsHigherThanItsWholeBlock(Database server) {
		try (HikariDataSource pool = server.open().pool(4);
				JdbcNode node = JdbcNode.announced(pool, this.prefix, false);
				JdbcNode other = JdbcNode.announced(pool, this.prefix, false)) {
			Ticket ticket = node.ticket(this.key);
			Grant grant = node.take(ticket);
			assertThat(other.administration().end(this.key, grant.firstToken() + 1)).isEqualTo(EndResult.CHANGED);
			assertThat(node.store.renew(List.of(new Renewal(ticket, grant.lastToken(), JdbcNode.LEASE))))
				.singleElement()
				.isInstanceOf(RenewalResult.Extended.class);
			assertThat(other.administration().end(this.key, grant.firstToken())).isEqualTo(EndResult.ENDED);
			assertThat(other.administration().end(this.key, grant.firstToken())).isEqualTo(EndResult.NOT_HELD);
			assertThat(other.take(other.ticket(this.key)).firstToken()).isGreaterThan(grant.lastToken());
			assertThat(other.administration().end(this.key, grant.firstToken())).isEqualTo(EndResult.CHANGED);
		}
	}

	@ParameterizedTest
	@EnumSource
	void theNextTokenIsHigherThanTheBlockThatWasEndedEvenIfTheClockWasSetBack(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(4); JdbcNode node = JdbcNode.announced(pool, this.prefix, false)) {
			Ticket ticket = node.ticket(this.key);
			long ahead = node.take(ticket).lastToken() + Duration.ofHours(1).toNanos() / 1000;
			database.direct().update("UPDATE distlock_lock SET fence = ? WHERE owner = ?", ahead, ticket.token());
			assertThat(node.administration().inspect(this.key).holders()).singleElement()
				.satisfies((holder) -> assertThat(holder.since()).isNull());
			assertThat(node.administration().end(this.key, ahead - 16)).isEqualTo(EndResult.ENDED);
			assertThat(node.take(node.ticket(this.key)).firstToken()).isEqualTo(ahead + 1);
		}
	}

	@ParameterizedTest
	@EnumSource
	void theFormerHolderLearnsAtItsRenewalThatAnOperatorHasEndedItsGrant(Database server) {
		try (HikariDataSource pool = server.open().pool(4);
				JdbcNode node = JdbcNode.announced(pool, this.prefix, false);
				JdbcNode other = JdbcNode.announced(pool, this.prefix, false)) {
			Ticket ticket = node.ticket(this.key);
			Grant grant = node.take(ticket);
			other.administration().end(this.key, grant.firstToken());
			other.take(other.ticket(this.key));
			assertThat(node.store.renew(List.of(new Renewal(ticket, grant.lastToken(), JdbcNode.LEASE))))
				.containsExactly(new RenewalResult.Gone());
			assertThat(node.ended).containsExactly(Map.entry(ticket, grant.firstToken()));
		}
	}

	@ParameterizedTest
	@EnumSource
	void ofSeveralLostGrantsThoseThatAnOperatorHasEndedAreNamed(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(4);
				JdbcNode node = JdbcNode.announced(pool, this.prefix, false);
				JdbcNode other = JdbcNode.announced(pool, this.prefix, false)) {
			List<Renewal> renewals = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				Ticket ticket = node.ticket(this.key + i);
				Grant grant = node.take(ticket);
				renewals.add(new Renewal(ticket, grant.lastToken(), JdbcNode.LEASE));
				if (i % 2 == 1) {
					other.administration().end(this.key + i, grant.firstToken());
				}
			}
			database.direct().update("DELETE FROM distlock_lock WHERE owner = ?", renewals.get(2).ticket().token());
			assertThat(node.store.renew(renewals)).satisfiesExactly(
					(kept) -> assertThat(kept).isInstanceOf(RenewalResult.Extended.class),
					(ended) -> assertThat(ended).isInstanceOf(RenewalResult.Gone.class),
					(deleted) -> assertThat(deleted).isInstanceOf(RenewalResult.Gone.class),
					(ended) -> assertThat(ended).isInstanceOf(RenewalResult.Gone.class));
			assertThat(node.ended).containsOnlyKeys(renewals.get(1).ticket(), renewals.get(3).ticket());
		}
	}

	@ParameterizedTest
	@EnumSource
	void theFormerHolderLearnsAtItsReleaseThatAnOperatorHasEndedItsGrant(Database server) {
		try (HikariDataSource pool = server.open().pool(4);
				JdbcNode node = JdbcNode.announced(pool, this.prefix, false);
				JdbcNode other = JdbcNode.announced(pool, this.prefix, false)) {
			Ticket ticket = node.ticket(this.key);
			Grant grant = node.take(ticket);
			other.administration().end(this.key, grant.firstToken());
			assertThat(node.store
				.release(ticket, grant.firstToken() + 3, new Successor(node.ticket(this.key), JdbcNode.LEASE))
				.released()).isFalse();
			assertThat(node.ended).containsEntry(ticket, grant.firstToken());
			Ticket lost = node.ticket(this.key + "lost");
			assertThat(node.release(lost)).isFalse();
			assertThat(node.ended).doesNotContainKey(lost);
		}
	}

	@ParameterizedTest
	@EnumSource
	void allLocksOfADeadInstanceAreEndedAndNoOthers(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(6);
				JdbcNode dead = JdbcNode.announced(pool, this.prefix, false);
				JdbcNode alive = JdbcNode.announced(pool, this.prefix, false)) {
			dead.administration().announce();
			Ticket first = dead.ticket(this.key + 0);
			Grant grant = dead.take(first);
			for (int i = 1; i < 130; i++) {
				dead.take(dead.ticket(this.key + i));
			}
			alive.take(alive.ticket(this.key));
			assertThat(alive.administration().endAll(dead.instance())).isEqualTo(SweepResult.ALIVE);
			assertThat(alive.administration().endAll(alive.instance())).isEqualTo(SweepResult.ALIVE);
			expire(database, dead);
			assertThat(alive.administration().endAll(dead.instance())).isEqualTo(new SweepResult(false, 130, true));
			assertThat(alive.attemptOnce(this.key + 77)).isInstanceOf(AttemptResult.Granted.class);
			assertThat(alive.administration().inspect(this.key).holders()).hasSize(1);
			// It was only paused.
			dead.store.renew(List.of(new Renewal(first, grant.lastToken(), JdbcNode.LEASE)));
			assertThat(dead.ended).containsEntry(first, grant.firstToken());
		}
	}

	@ParameterizedTest
	@EnumSource
	void theLocationNamesTheDatabaseAndTheTable(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(4); JdbcNode node = JdbcNode.announced(pool, this.prefix, false)) {
			node.administration().ping();
			assertThat(node.administration().location()).startsWithIgnoringCase(server.name() + " at jdbc:")
				.endsWith(", table 'distlock_lock', prefix '" + this.prefix + "'")
				.contains(database.url().split("[?;]")[0]);
		}
	}

	private static void expire(TestDatabase database, JdbcNode node) {
		JdbcTemplate jdbc = database.direct();
		assertThat(
				jdbc.update("UPDATE distlock_instance SET seen_at = seen_at - 31000000 WHERE id = ?", node.instance()))
			.isEqualTo(1);
	}

}
