package io.github.distlock.sample.strategies;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.distlock.DistributedLock;
import io.github.distlock.lab.records.StockRecords;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Level;
import io.github.distlock.sample.shop.StockRepository.Sale;
import io.github.distlock.sample.shop.StockService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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
		for (String method : List.of("sell", "sellFenced")) {
			DistributedLock lock = StockService.class.getMethod(method, String.class)
				.getAnnotation(DistributedLock.class);
			assertThat(lock.key()).isEqualTo("'stock-' + #sku");
			assertThat(lock.waitTime()).isEqualTo("${shop.wait-time}");
		}
	}

	@Test
	void aHolderWhoComesTooLateSellsNothing() {
		assertThat(this.stock.sell("ticket", 8)).isEqualTo(Sale.of(60));
		assertThatIllegalStateException().isThrownBy(() -> this.stock.sell("ticket", 7))
			.withMessageContaining("token 7 came too late");
		assertThat(this.stock.level("ticket")).contains(new Level("ticket", 59, 1, 1));
		assertThat(this.stock.sell("ticket", 9)).isEqualTo(Sale.of(59));
	}

	@Test
	void aWriteUnderAStaleTokenIsRecordedAsRefused(@TempDir Path folder) throws Exception {
		Path file = folder.resolve("records.jsonl");
		StockRecords records = new StockRecords(file, () -> Instant.EPOCH);
		StockRepository recorded = TestStock.stock(this.database, Duration.ZERO, records,
				new Faults(TestStock.properties(), records));
		recorded.sell("ticket", 8);
		assertThatIllegalStateException().isThrownBy(() -> recorded.sell("ticket", 7));
		assertThat(recorded.sell("unknown")).isEqualTo(Sale.soldOut());
		assertThat(Files.readAllLines(file).stream().skip(1).map((line) -> line.replace('"', '\''))).containsExactly(
				"{'n':2,'type':'read','at':0,'stay':1,'sku':'ticket','resource':'ticket','value':60}",
				"{'n':3,'type':'wrote','at':0,'stay':1,'value':59,'serial':60}",
				"{'n':4,'type':'read','at':0,'stay':2,'sku':'ticket','resource':'ticket','value':59}",
				"{'n':5,'type':'refused','at':0,'stay':2}");
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
