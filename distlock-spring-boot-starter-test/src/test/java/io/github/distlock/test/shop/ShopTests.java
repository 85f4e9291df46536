package io.github.distlock.test.shop;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.test.AutoConfigureTestLocks;
import io.github.distlock.test.LockAcquisition;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The whole application with controlled locks. None of the configured stores runs.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "distlock.composite=redis,zookeeper", "move.store=composite", "distlock.fail-fast=true" })
@AutoConfigureTestLocks
@Timeout(120)
class ShopTests {

	@Autowired
	private StockService stock;

	@Autowired
	private StockLedger ledger;

	@Autowired
	private TestLocks locks;

	@Test
	void theApplicationIsStartedAsInProduction() {
		int before = this.ledger.quantity("42");
		this.stock.deduct("42");
		assertThat(this.ledger.quantity("42")).isEqualTo(before - 1);
		assertThat(this.locks.keys()).containsExactly("stock-42");
	}

	@Test
	void eachBackendIsReplacedUnderItsName() {
		this.stock.move("42", "43");
		assertThat(this.locks.acquired()).extracting(LockAcquisition::store).containsExactly("redis", "zookeeper");
	}

	@Test
	void aTakenKeyIsTakenInEachStore() {
		this.locks.take("move");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.stock.move("42", "43"));
		this.locks.free("move");
		this.stock.move("42", "43");
	}

	@Test
	void eachStoreFails() {
		this.locks.failStore();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.stock.move("42", "43"));
	}

	@Test
	void codeThatAssertsItsLockRunsOnlyUnderIt() {
		this.stock.correct("42", 7);
		assertThat(this.ledger.quantity("42")).isEqualTo(7);
		assertThatIllegalStateException().isThrownBy(() -> this.stock.correctUnderLock("42", 8))
			.withMessageContaining("'stock-42'");
		assertThat(this.ledger.quantity("42")).isEqualTo(7);
	}

}
