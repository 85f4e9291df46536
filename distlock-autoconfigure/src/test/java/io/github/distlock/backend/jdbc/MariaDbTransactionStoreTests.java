package io.github.distlock.backend.jdbc;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
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
