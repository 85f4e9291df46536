package io.github.distlock.sample.inventory.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.Faults;
import io.github.distlock.sample.inventory.InventoryProperties;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.TestShop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The parts of the stock, by one buyer; that the locks keep others out is shown by
 * processes.
 */
class StockSegmentsTests {

	private final EmbeddedDatabase database = TestShop.database();

	private final InventoryProperties properties = TestShop.properties(Duration.ZERO);

	private final Faults faults = TestShop.faults(this.properties);

	private final StockLedger ledger = TestShop.ledger(this.database, this.properties, this.faults);

	private final StockSegments segments = new StockSegments(JdbcClient.create(this.database), this.ledger,
			TestShop.work(this.properties, this.faults), TestShop.UNRECORDED);

	private final SegmentedStock stock = new SegmentedStock(this.segments);

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@Test
	void theStockIsCutOnceIntoTenPartsOfAboutOneSize() {
		TestShop.stockUp(this.ledger, "ticket", 25);
		this.segments.cut("ticket");
		this.segments.cut("ticket");
		assertThat(this.segments.parts("ticket")).extracting(StockSegments.Part::quantity)
			.hasSize(10)
			.containsOnly(2L, 3L)
			.satisfies((parts) -> assertThat(parts.stream().mapToLong(Long::longValue).sum()).isEqualTo(25));
	}

	@Test
	void everyUnitIsSoldOnceDownToTheLastOfAnyPart() {
		TestShop.stockUp(this.ledger, "ticket", 25);
		List<Deduction> answers = new ArrayList<>();
		for (int order = 0; order < 27; order++) {
			answers.add(this.stock.deduct("ticket"));
		}
		assertThat(answers).filteredOn(Deduction::accepted)
			.extracting(Deduction::serial)
			.hasSize(25)
			.doesNotHaveDuplicates();
		assertThat(answers.subList(25, 27)).containsOnly(Deduction.soldOut());
	}

	@Test
	void anUnknownArticleHasNoParts() {
		assertThat(this.stock.deduct("unknown")).isEqualTo(Deduction.soldOut());
	}

}
