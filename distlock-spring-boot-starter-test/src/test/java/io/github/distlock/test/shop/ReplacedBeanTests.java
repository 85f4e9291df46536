package io.github.distlock.test.shop;

import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.convention.TestBean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test may replace a locked bean by an object of its own.
 */
@DistlockTest(StockService.class)
class ReplacedBeanTests {

	@TestBean
	private StockService stock = stock();

	@Autowired
	private TestLocks locks;

	static StockService stock() {
		return new StockService(new MemoryLedger()) {

			@Override
			public long deduct(String sku) {
				return 7;
			}

		};
	}

	@Test
	void theReplacementRunsUnchanged() {
		assertThat(this.stock.deduct("42")).isEqualTo(7);
		assertThat(this.locks.acquired()).isEmpty();
	}

}
