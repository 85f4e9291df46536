package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockRequest;
import io.github.distlock.RunResult;
import io.github.distlock.backend.jdbc.TransactionShop.Sales;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The store {@code transaction} on MariaDB.
 */
@Tag(Installed.TAG)
@ParameterizedClass(name = "{0}")
@EnumSource(names = "MARIADB")
class MariaDbTransactionStoreTests extends TransactionStoreCases {

	@Test
	void aRepeatableReadThatBeginsWithTheLockSeesWhatTheLastHolderHasCommitted() {
		TestDatabase database = TestDatabase.mariaDb();
		String key = "repeatable-" + UUID.randomUUID();
		database.direct().execute("CREATE TABLE IF NOT EXISTS transaction_counter (id VARCHAR(64) PRIMARY KEY, n INT)");
		database.direct().update("INSERT INTO transaction_counter VALUES (?, 0)", key);
		try (TransactionShop one = shop(database); TransactionShop other = shop(database)) {
			List<CompletableFuture<Void>> calls = List.of(count(one, key), count(other, key));
			CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).orTimeout(120, TimeUnit.SECONDS).join();
		}
		assertThat(
				database.direct().queryForObject("SELECT n FROM transaction_counter WHERE id = ?", Integer.class, key))
			.isEqualTo(200);
	}

	/** That change waits for the holder, and each new statement for the change. */
	@Test
	void aCallBehindAChangeOfTheTableWaitsForItsWaitTimeOnly() {
		TransactionShop one = shop();
		JdbcTemplate operator = TestDatabase.mariaDb().direct();
		CompletableFuture<?> change;
		try (Held holder = hold(shop(), this.key)) {
			change = CompletableFuture.runAsync(
					() -> operator.execute("ALTER TABLE distlock_lock COMMENT = '" + this.key + "'"),
					(task) -> new Thread(task).start());
			await().atMost(Duration.ofSeconds(60))
				.until(() -> Objects.requireNonNull(operator.queryForObject(
						"SELECT count(*) FROM information_schema.processlist WHERE state LIKE '%table metadata lock'"
								+ " AND info LIKE 'ALTER%'",
						Integer.class)) == 1);
			String free = this.key + "-free";
			LockRequest second = LockRequest.of(free).waitTime(Duration.ofSeconds(1));
			assertThat(CompletableFuture.supplyAsync(() -> isFree(one, free), (task) -> new Thread(task).start()))
				.succeedsWithin(Duration.ofSeconds(60))
				.isEqualTo(false);
			assertThat(CompletableFuture.supplyAsync(() -> one.template.execute((status) -> run(one, second)),
					(task) -> new Thread(task).start()))
				.succeedsWithin(Duration.ofSeconds(60))
				.isInstanceOf(RunResult.NotRun.class);
		}
		change.orTimeout(60, TimeUnit.SECONDS).join();
	}

	private static TransactionShop shop(TestDatabase database) {
		return new TransactionShop(database.pool(2), List.of("distlock.backend=transaction"),
				(context) -> context.register(Sales.class, Counter.class));
	}

	private static CompletableFuture<Void> count(TransactionShop shop, String key) {
		Counter counter = shop.context.getBean(Counter.class);
		return CompletableFuture.runAsync(() -> {
			for (int i = 0; i < 100; i++) {
				counter.count(key, shop.jdbc);
			}
		}, (task) -> new Thread(task).start());
	}

	static class Counter {

		@DistributedLock(key = "#key", waitTime = "60s")
		@Transactional(isolation = Isolation.REPEATABLE_READ)
		public void count(String key, JdbcTemplate jdbc) {
			int next = 1 + Objects.requireNonNull(
					jdbc.queryForObject("SELECT n FROM transaction_counter WHERE id = ?", Integer.class, key));
			jdbc.update("UPDATE transaction_counter SET n = ? WHERE id = ?", next, key);
		}

	}

}
