package io.github.distlock.sample.strategies;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Level;
import io.github.distlock.sample.shop.StockRepository.Sale;
import io.github.distlock.sample.shop.StockService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The repository, with records, and the strategies in one JVM.
 */
class StockRepositoryTests {

	private final EmbeddedDatabase database = TestStock.database();

	private final StockRepository stock = TestStock.stock(this.database, Duration.ofMillis(2));

	@BeforeEach
	void setStock() {
		this.stock.reset("ticket", 60);
	}

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@Test
	void aSaleTakesOneUnitAndNamesIt() {
		assertThat(this.stock.sell("ticket")).isEqualTo(Sale.of(60));
		assertThat(this.stock.sell("ticket")).isEqualTo(Sale.of(59));
		assertThat(this.stock.level("ticket")).contains(new Level("ticket", 58, 2, 2));
	}

	@Test
	void nothingIsSoldFromAnEmptyStock() {
		this.stock.reset("ticket", 0);
		assertThat(this.stock.sell("ticket")).isEqualTo(Sale.soldOut());
		assertThat(this.stock.sell("unknown")).isEqualTo(Sale.soldOut());
		assertThat(this.stock.level("ticket")).contains(new Level("ticket", 0, 0, 0));
	}

	@Test
	void aResetForgetsTheSales() {
		this.stock.sell("ticket");
		this.stock.reset("ticket", 5);
		assertThat(this.stock.level("ticket")).contains(new Level("ticket", 5, 0, 0));
	}

	@Test
	void withoutALockUpdatesAreLost() throws Exception {
		Level level = sellConcurrently(new UnprotectedStock(this.stock));
		assertThat(level.sold()).isEqualTo(48);
		assertThat(level.quantity()).isGreaterThan(60 - 48);
		assertThat(level.serials()).isLessThan(48);
	}

	@Test
	void insideOneJvmSynchronizedIsEnough() throws Exception {
		assertThat(sellConcurrently(new SynchronizedStock(this.stock))).isEqualTo(new Level("ticket", 60 - 48, 48, 48));
	}

	@Test
	void theLockIsOnePerArticleAndLetsEveryBuyerWait() throws Exception {
		DistributedLock lock = StockService.class.getMethod("sell", String.class).getAnnotation(DistributedLock.class);
		assertThat(lock.key()).isEqualTo("'stock-' + #sku");
		assertThat(lock.waitTime()).isEqualTo("${shop.wait-time}");
	}

	@Test
	void aResetClearsWhatACrashedHolderLeft() {
		List<String> cleared = new ArrayList<>();
		TestStock
			.stock(this.database, Duration.ZERO, TestStock.UNRECORDED,
					new Faults(TestStock.properties(), TestStock.UNRECORDED), cleared::add)
			.reset("ticket", 5);
		assertThat(cleared).containsExactly("ticket");
	}

	private Level sellConcurrently(StockStrategy strategy) throws Exception {
		ExecutorService buyers = Executors.newFixedThreadPool(8);
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int order = 0; order < 48; order++) {
				all.add(buyers.submit(() -> strategy.sell("ticket")));
			}
			for (Future<?> order : all) {
				order.get();
			}
		}
		finally {
			buyers.shutdownNow();
		}
		return this.stock.level("ticket").orElseThrow();
	}

}
