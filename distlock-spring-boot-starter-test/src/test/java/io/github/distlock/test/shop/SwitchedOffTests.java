package io.github.distlock.test.shop;

import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * With locks switched off there is nothing to control, and assertions pass.
 */
@DistlockTest(properties = "distlock.enabled=false")
@Import(MemoryLedger.class)
class SwitchedOffTests {

	@Autowired
	private StockService stock;

	@Autowired
	private StockLedger ledger;

	@Autowired
	private TestLocks locks;

	@Test
	void anAnnotatedMethodLetsAssertionsPass() {
		this.stock.correct("42", 7);
		assertThat(this.ledger.quantity("42")).isEqualTo(7);
		assertThat(this.locks.acquired()).isEmpty();
		assertThatIllegalStateException().isThrownBy(() -> this.stock.correctUnderLock("42", 8));
	}

	@Test
	void testLocksReportsThatThereIsNothingToControl() {
		assertThatIllegalStateException().isThrownBy(() -> this.locks.take("stock-42"))
			.withMessageContaining("distlock.enabled is false");
	}

}
