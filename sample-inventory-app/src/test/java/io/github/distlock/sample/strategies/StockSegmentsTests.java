package io.github.distlock.sample.strategies;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.sample.shop.StockRepository.Level;
import io.github.distlock.sample.shop.StockRepository.Sale;
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

	private final EmbeddedDatabase database = TestStock.database();

	private final InstrumentedStock stock = TestStock.stock(this.database, Duration.ZERO);

	private final StockSegments segments = new StockSegments(JdbcClient.create(this.database), this.stock);

	private final SegmentedStock strategy = new SegmentedStock(this.segments);

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@Test
	void theStockIsCutOnceIntoTenPartsOfAboutOneSize() {
		this.stock.reset("ticket", 25);
		this.segments.cut("ticket");
		this.segments.cut("ticket");
		assertThat(this.segments.parts("ticket")).extracting(StockSegments.Part::quantity)
			.hasSize(10)
			.containsOnly(2L, 3L)
			.satisfies((parts) -> assertThat(parts.stream().mapToLong(Long::longValue).sum()).isEqualTo(25));
	}

	@Test
	void everyUnitIsSoldOnceDownToTheLastOfAnyPart() {
		this.stock.reset("ticket", 25);
		List<Sale> answers = new ArrayList<>();
		for (int order = 0; order < 27; order++) {
			answers.add(this.strategy.sell("ticket"));
		}
		assertThat(answers).filteredOn(Sale::accepted).extracting(Sale::serial).hasSize(25).doesNotHaveDuplicates();
		assertThat(answers.subList(25, 27)).containsOnly(Sale.soldOut());
	}

	@Test
	void theStockIsTheSumOfItsPartsUntilItIsSetAgain() {
		this.stock.reset("ticket", 25);
		this.strategy.sell("ticket");
		assertThat(this.stock.level("ticket")).contains(new Level("ticket", 24, 1, 1));
		this.stock.reset("ticket", 5);
		assertThat(this.stock.level("ticket")).contains(new Level("ticket", 5, 0, 0));
	}

	@Test
	void anUnknownArticleHasNoParts() {
		assertThat(this.strategy.sell("unknown")).isEqualTo(Sale.soldOut());
	}

}
