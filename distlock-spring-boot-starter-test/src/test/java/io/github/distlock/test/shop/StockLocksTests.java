package io.github.distlock.test.shop;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.LockAcquisition;
import io.github.distlock.test.LockRefusal;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The test slice, used as in a test of an application.
 */
@DistlockTest
@Import(ScriptedLedger.class)
@Timeout(120)
class StockLocksTests {

	@Autowired
	private StockService stock;

	@Autowired
	private TestLocks locks;

	@Autowired
	private ScriptedLedger ledger;

	@BeforeEach
	void begin() {
		this.ledger.onRead = () -> {
		};
		this.ledger.written.clear();
	}

	@Test
	void theAcquisitionsAreListedInOrder() {
		this.stock.deduct("42");
		this.stock.count("43");
		assertThat(this.locks.keys()).containsExactly("stock-42", "stock-43");
		assertThat(this.locks.acquired())
			.extracting(LockAcquisition::key, LockAcquisition::name, LockAcquisition::mode, LockAcquisition::store)
			.containsExactly(tuple("stock-42", "stock", LockMode.EXCLUSIVE, "redis"),
					tuple("stock-43", "StockService.count", LockMode.READ, "redis"));
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void theTokenOfAnAcquisitionIsListed() {
		long token = this.stock.deduct("42");
		assertThat(this.locks.acquired()).extracting(LockAcquisition::fencingToken).containsExactly(token);
	}

	@Test
	void aTakenKeyIsRefusedWithoutWaiting() {
		this.locks.take("stock-42");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.stock.deduct("42"));
		assertThat(this.stock.count("42")).isEmpty();
		assertThat(this.ledger.written).isEmpty();
		assertThat(this.locks.refused()).containsExactly(new LockRefusal("stock-42", "stock", LockOutcome.TIMEOUT),
				new LockRefusal("stock-42", "StockService.count", LockOutcome.SKIPPED));
		assertThat(this.stock.deduct("43")).isPositive();
	}

	@Test
	void aFreedKeyCanBeAcquired() {
		this.locks.take("stock-42");
		this.locks.free("stock-42");
		assertThat(this.stock.deduct("42")).isPositive();
	}

	@Test
	void aWaitingLockViewEntersWhenTheKeyIsFreed(@Autowired LockRegistry registry) {
		this.locks.take("stock-42");
		CompletableFuture<Void> entered = CompletableFuture.runAsync(() -> {
			Lock lock = registry.obtain("stock-42");
			lock.lock();
			lock.unlock();
		});
		assertThat(entered).isNotCompleted();
		this.locks.free("stock-42");
		assertThat(entered).succeedsWithin(Duration.ofMinutes(1));
	}

	@Test
	void aLossWhileTheCodeRunsIsThrown() {
		this.ledger.onRead = () -> this.locks.lose("stock-42");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.deduct("42"));
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void anExplicitLeaseIsLostAtOnce(@Autowired LockRegistry registry) {
		LockRequest request = LockRequest.of("stock-42").leaseTime(Duration.ofMinutes(1));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> registry.execute(request, () -> {
			this.locks.lose("stock-42");
			return assertThat(LockContext.current().orElseThrow().isHeld()).isFalse();
		}));
	}

	@Test
	void aFailingStoreIsNotContention() {
		this.locks.failStore();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.stock.deduct("42"))
			.withMessageContaining("failStore()");
		assertThat(this.locks.refused())
			.containsExactly(new LockRefusal("stock-42", "stock", LockOutcome.BACKEND_ERROR));
		this.locks.mendStore();
		assertThat(this.stock.deduct("42")).isPositive();
	}

	@Test
	@SuppressWarnings("NullAway")
	void anInvalidKeyIsRefusedAsInProduction() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.stock.deduct(null));
		assertThat(this.locks.refused()).containsExactly(new LockRefusal(null, "stock", LockOutcome.INVALID));
	}

	@Test
	void misuseIsRefusedWithARemedy() {
		assertThatIllegalStateException().isThrownBy(() -> this.locks.lose("stock-42"))
			.withMessageContaining("not held")
			.withMessageContaining("from inside the locked code");
		assertThatIllegalStateException().isThrownBy(() -> this.locks.free("stock-42"))
			.withMessageContaining("was not taken");
		this.ledger.onRead = () -> this.locks.take("stock-42");
		assertThatIllegalStateException().isThrownBy(() -> this.stock.deduct("42"))
			.withMessageContaining("the code under test holds it");
	}

	@Test
	void onlyComponentsWithLocksAreStarted(@Autowired ApplicationContext context) {
		assertThat(context.getBeanNamesForType(StockService.class)).hasSize(1);
		assertThat(context.getBeanNamesForType(MemoryLedger.class)).isEmpty();
	}

}
