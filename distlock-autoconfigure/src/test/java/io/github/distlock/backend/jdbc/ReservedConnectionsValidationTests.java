package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Reserved connections whose validation fails.
 */
class ReservedConnectionsValidationTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private final String key = "validation-" + UUID.randomUUID();

	@Test
	void aReleaseThatTimesOutDuringAValidationFails() {
		try (HikariDataSource hikari = TestDatabase.h2().pool(10)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 0);
			try (JdbcNode node = JdbcNode.lease(pool)) {
				Ticket ticket = node.ticket(this.key);
				node.take(ticket);
				// Longer than the command time-out of two seconds.
				pool.validatesBy(() -> {
					new CompletableFuture<Boolean>().completeOnTimeout(false, 3, TimeUnit.SECONDS).join();
					return false;
				});
				// Longer than a connection is used without validation.
				await().pollDelay(Duration.ofMillis(600)).until(() -> true);
				assertThatThrownBy(() -> node.release(ticket)).isInstanceOf(LockBackendException.class)
					.hasMessageContaining("No connection was available from");
				pool.validatesBy(null);
				assertThat(node.release(ticket)).isTrue();
			}
		}
	}

	@Test
	void aLazyProxyMustFetchItsConnection() throws SQLException {
		try (HikariDataSource hikari = TestDatabase.h2().pool(10)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 0);
			LockDataSource source = new LockDataSource(new LazyConnectionDataSourceProxy(pool), JdbcUnderTest.SETTINGS,
					TimeSource.SYSTEM);
			source.open().close();
			pool.goesDown();
			assertThatThrownBy(source::open).isInstanceOf(SQLException.class)
				.hasMessageContaining("Connection refused");
		}
	}

	@Test
	void aConnectionWhoseValidationThrowsIsReplaced() {
		AtomicLong passed = new AtomicLong();
		TimeSource clock = clock(passed);
		JdbcThreads threads = new JdbcThreads(2, TimeSource.SYSTEM);
		try (HikariDataSource hikari = TestDatabase.h2().pool(10)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 0);
			LockDataSource source = new LockDataSource(pool, JdbcUnderTest.SETTINGS, TimeSource.SYSTEM);
			ReservedConnectionCount size = ReservedConnectionCount.configured(source, JdbcUnderTest.SETTINGS);
			ReservedConnectionsMaintenance maintenance = new ReservedConnectionsMaintenance(
					new ReservedConnections(source, size, clock), source, threads, size, clock, () -> {
					});
			maintenance.start(SOON);
			Set<Connection> before = Set.copyOf(pool.used);
			assertThat(before).hasSize(2);
			pool.validatesBy(() -> {
				throw new IllegalStateException("validation failed");
			});
			passed.addAndGet(Duration.ofSeconds(31).toNanos());
			await().atMost(SOON)
				.untilAsserted(() -> assertThat(pool.used).hasSize(2).doesNotContainAnyElementsOf(before));
			maintenance.stop();
			assertThat(pool.used).isEmpty();
		}
		finally {
			threads.stop();
		}
	}

	@Test
	void aConnectionThatIsNeverReturnedIsReplaced() {
		AtomicLong passed = new AtomicLong();
		TimeSource clock = clock(passed);
		JdbcThreads threads = new JdbcThreads(2, TimeSource.SYSTEM);
		try (HikariDataSource hikari = TestDatabase.h2().pool(10)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 0);
			LockDataSource source = new LockDataSource(pool, JdbcUnderTest.SETTINGS, TimeSource.SYSTEM);
			ReservedConnectionCount size = ReservedConnectionCount.configured(source, JdbcUnderTest.SETTINGS);
			ReservedConnections reserve = new ReservedConnections(source, size, clock);
			ReservedConnectionsMaintenance maintenance = new ReservedConnectionsMaintenance(reserve, source, threads,
					size, clock, () -> {
					});
			maintenance.start(SOON);
			ReservedConnection lost = Objects.requireNonNull(reserve.take(true));
			passed.addAndGet(Duration.ofMinutes(3).toNanos());
			await().atMost(SOON).until(() -> reserve.isComplete() && !reserve.lent().contains(lost));
			// The thread that had it continues after all.
			reserve.giveBack(lost);
			maintenance.takeBack(lost, false, false);
			assertThat(reserve.isComplete()).isTrue();
			ReservedConnection next = Objects.requireNonNull(reserve.take(true));
			assertThat(next).isNotSameAs(lost);
			reserve.giveBack(next);
			maintenance.stop();
			assertThat(pool.used).isEmpty();
		}
		finally {
			threads.stop();
		}
	}

	private static TimeSource clock(AtomicLong passed) {
		return new TimeSource() {

			@Override
			public long nanoTime() {
				return System.nanoTime() + passed.get();
			}

			@Override
			public long wallMillis() {
				return System.currentTimeMillis();
			}

		};
	}

	@Test
	void oneBrokenConnectionDoesNotReplaceTheOthers() {
		try (HikariDataSource hikari = TestDatabase.h2().pool(10)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 0);
			try (JdbcNode node = JdbcNode.lease(pool)) {
				Ticket ticket = node.ticket(this.key);
				node.take(ticket);
				AtomicBoolean first = new AtomicBoolean(true);
				pool.validatesBy(() -> !first.getAndSet(false));
				await().pollDelay(Duration.ofMillis(600)).until(() -> true);
				assertThat(node.release(ticket)).isTrue();
				await().atMost(SOON).until(() -> pool.opened.get() >= 3 && pool.used.size() == 2);
				assertThat(first).isFalse();
				assertThat(pool.opened).hasValue(3);
			}
		}
	}

}
