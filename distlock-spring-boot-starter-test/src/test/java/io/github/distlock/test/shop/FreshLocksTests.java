package io.github.distlock.test.shop;

import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each test starts with free keys and empty lists, although the tests share a context.
 */
@DistlockTest(StockService.class)
@Import(MemoryLedger.class)
@Timeout(120)
class FreshLocksTests {

	@Autowired
	private StockService stock;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private TestLocks locks;

	@RepeatedTest(3)
	void whateverATestLeavesBehind() {
		assertThat(this.locks.acquired()).isEmpty();
		assertThat(this.locks.refused()).isEmpty();
		assertThat(this.stock.deduct("42")).isPositive();
		CompletableFuture.runAsync(() -> this.registry.acquire(LockRequest.of("stock-43"))).join();
		assertThat(this.locks.held()).containsExactly("stock-43");
		this.locks.take("stock-42");
		this.locks.failStore();
	}

}
