package io.github.distlock.sample.shop;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;

import io.github.distlock.LockLostException;
import io.github.distlock.sample.shop.StockRepository.Level;
import io.github.distlock.sample.shop.StockRepository.Sale;
import io.github.distlock.test.AutoConfigureTestLocks;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A holder is paused until its lock is lost and another one has it. The commit guard is
 * off, as if each pause came after its check: only the database can tell the two apart.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "spring.datasource.url=jdbc:h2:mem:paused-sale;LOCK_TIMEOUT=60000",
				"distlock.transaction.commit-guard=false" })
@AutoConfigureTestLocks
class PausedSaleTests {

	/** What happens once at a place of a sale. */
	private static final Map<String, Runnable> AT = new ConcurrentHashMap<>();

	@Autowired
	private StockService service;

	@Autowired
	private StockRepository stock;

	@Autowired
	private TestLocks locks;

	@ParameterizedTest
	@CsvSource({ "begin, 'so the transaction is refused', 60, 59, 1",
			"work, 'The transaction has committed, before that of any later holder', 59, 58, 2" })
	void aLateSaleIsRefusedIfTheNextHolderHasBegunAndReadByItOtherwise(String pausedAt, String message, long serial,
			long left, long sold) {
		// H2 does not wait for a row that another transaction inserts: it tries again.
		this.service.sell("ticket");
		this.stock.reset("ticket", 60);
		Thread late = Thread.currentThread();
		FutureTask<Sale> sale = new FutureTask<>(() -> this.service.sell("ticket"));
		Thread next = new Thread(sale);
		AT.put(pausedAt, () -> {
			this.locks.lose("stock-ticket");
			if (pausedAt.equals("begin")) {
				AT.put("work", () -> await(() -> waits(late)));
			}
			next.start();
			await(() -> sale.isDone() || (pausedAt.equals("begin") ? !AT.containsKey("work") : waits(next)));
		});
		Throwable lost = catchThrowable(() -> this.service.sell("ticket"));
		assertThat(lost).isInstanceOf(LockLostException.class);
		assertThat(sale).succeedsWithin(Duration.ofMinutes(4)).isEqualTo(Sale.of(serial));
		assertThat(this.stock.level("ticket")).contains(new Level("ticket", left, sold, sold));
		assertThat(lost).hasMessageContaining(message);
	}

	/**
	 * Without a state in which the other thread would take this one for one that waits.
	 */
	private static void await(BooleanSupplier condition) {
		while (!condition.getAsBoolean()) {
			Thread.yield();
		}
	}

	private static boolean waits(Thread thread) {
		return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
	}

	private static void arrive(String place) {
		Runnable once = AT.remove(place);
		if (once != null) {
			once.run();
		}
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Places {

		@Bean
		TransactionExecutionListener begin() {
			return new TransactionExecutionListener() {
				@Override
				public void beforeBegin(TransactionExecution transaction) {
					arrive("begin");
				}
			};
		}

		@Bean
		@Primary
		StockRepository pausedStock(JdbcClient jdbc) {
			return new StockRepository(jdbc, Duration.ZERO) {
				@Override
				protected void work() {
					arrive("work");
				}
			};
		}

	}

}
