package io.github.distlock.sample.inventory;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.lab.records.StockRecords;
import io.github.distlock.sample.lab.records.TestClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The ledger and the strategies in one JVM.
 */
class StockServiceTests {

	private final EmbeddedDatabase database = TestShop.database();

	private final StockLedger ledger = TestShop.ledger(this.database, Duration.ofMillis(2));

	@BeforeEach
	void stock() {
		this.ledger.reset("ticket", 60);
	}

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@Test
	void aSaleTakesOneUnitAndNamesIt() {
		assertThat(this.ledger.sell("ticket")).isEqualTo(Deduction.sold(60));
		assertThat(this.ledger.sell("ticket")).isEqualTo(Deduction.sold(59));
		assertThat(this.ledger.level("ticket")).contains(new StockLevel("ticket", 58, 2, 2));
	}

	@Test
	void nothingIsSoldFromAnEmptyStock() {
		this.ledger.reset("ticket", 0);
		assertThat(this.ledger.sell("ticket")).isEqualTo(Deduction.soldOut());
		assertThat(this.ledger.sell("unknown")).isEqualTo(Deduction.soldOut());
		assertThat(this.ledger.level("ticket")).contains(new StockLevel("ticket", 0, 0, 0));
	}

	@Test
	void aResetForgetsTheSales() {
		this.ledger.sell("ticket");
		this.ledger.reset("ticket", 5);
		assertThat(this.ledger.level("ticket")).contains(new StockLevel("ticket", 5, 0, 0));
	}

	@Test
	void withoutALockUpdatesAreLost() throws Exception {
		StockLevel level = sellConcurrently(new UnprotectedStock(this.ledger));
		assertThat(level.sold()).isEqualTo(48);
		assertThat(level.quantity()).isGreaterThan(60 - 48);
		assertThat(level.serials()).isLessThan(48);
	}

	@Test
	void insideOneJvmSynchronizedIsEnough() throws Exception {
		assertThat(sellConcurrently(new SynchronizedStock(this.ledger)))
			.isEqualTo(new StockLevel("ticket", 60 - 48, 48, 48));
	}

	@Test
	void theLockIsOnePerArticleAndLetsEveryBuyerWait() throws Exception {
		DistributedLock lock = FencedSale.class.getDeclaredMethod("sell", String.class, long.class)
			.getAnnotation(DistributedLock.class);
		assertThat(lock.key()).isEqualTo("'stock-' + #sku");
		assertThat(lock.waitTime()).isEqualTo("${sample.inventory.wait-time:60s}");
	}

	@Test
	void aHolderWhoComesTooLateSellsNothing() {
		assertThat(this.ledger.sellWithToken("ticket", 8)).isEqualTo(Deduction.sold(60));
		assertThatIllegalStateException().isThrownBy(() -> this.ledger.sellWithToken("ticket", 7))
			.withMessageContaining("token 7 came too late");
		assertThat(this.ledger.level("ticket")).contains(new StockLevel("ticket", 59, 1, 1));
		assertThat(this.ledger.sellWithToken("ticket", 9)).isEqualTo(Deduction.sold(59));
	}

	@Test
	void aWriteUnderAStaleTokenIsRecordedAsRefused(@TempDir Path folder) throws Exception {
		Path file = folder.resolve("records.jsonl");
		InventoryProperties properties = TestShop.properties(Duration.ZERO);
		StockLedger recorded = TestShop.ledger(this.database, TestShop.work(properties, TestShop.faults(properties)),
				new StockRecords(file, new TestClock()));
		recorded.sellWithToken("ticket", 8);
		assertThatIllegalStateException().isThrownBy(() -> recorded.sellWithToken("ticket", 7));
		assertThat(recorded.sell("unknown")).isEqualTo(Deduction.soldOut());
		assertThat(Files.readAllLines(file).stream().skip(1).map((line) -> line.replace('"', '\''))).containsExactly(
				"{'n':2,'type':'read','at':0,'stay':1,'sku':'ticket','resource':'ticket','value':60}",
				"{'n':3,'type':'wrote','at':0,'stay':1,'value':59,'serial':60}",
				"{'n':4,'type':'read','at':0,'stay':2,'sku':'ticket','resource':'ticket','value':59}",
				"{'n':5,'type':'refused','at':0,'stay':2}");
	}

	private StockLevel sellConcurrently(StockService stock) throws Exception {
		ExecutorService buyers = Executors.newFixedThreadPool(8);
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int order = 0; order < 48; order++) {
				all.add(buyers.submit(() -> stock.deduct("ticket")));
			}
			for (Future<?> order : all) {
				order.get();
			}
		}
		finally {
			buyers.shutdownNow();
		}
		return this.ledger.level("ticket").orElseThrow();
	}

}
