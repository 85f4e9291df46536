package io.github.distlock.test.shop;

import io.github.distlock.LockRegistry;
import io.github.distlock.test.DistlockTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * With a mock instead of the registry, a method never returns without having run.
 */
@DistlockTest(StockService.class)
@Import(MemoryLedger.class)
class MockedRegistryTests {

	@Autowired
	private StockService stock;

	@Autowired
	private StockLedger ledger;

	@MockitoBean
	private LockRegistry registry;

	@Test
	void aMockThatReturnsNullIsRefusedWithARemedyForTests() {
		int before = this.ledger.quantity("42");
		assertThatIllegalStateException().isThrownBy(() -> this.stock.deduct("42"))
			.withMessageContaining(" returned null for lock 'stock-42' (stock)")
			.withMessageContaining("@AutoConfigureTestLocks");
		assertThat(this.ledger.quantity("42")).isEqualTo(before);
	}

}
