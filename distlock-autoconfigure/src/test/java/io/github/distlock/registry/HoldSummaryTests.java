package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TestHandOff;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The figures of held locks, with a manual clock.
 */
class HoldSummaryTests {

	private final ManualClock clock = new ManualClock();

	private final BackendLockRegistry registry = new BackendLockRegistry(
			new LocalLockBackend(new LocalStore(this.clock), 1, this.clock),
			new RegistrySettings(Duration.ofSeconds(10), Duration.ofSeconds(30), null, TestHandOff.NONE,
					Duration.ofSeconds(10), false, Duration.ZERO),
			List.of(), this.clock);

	@BeforeEach
	void start() {
		this.registry.start();
	}

	@AfterEach
	void stop() {
		this.registry.shutdown();
	}

	@Test
	void theLongestLockOfEachNameCounts() {
		HeldLock first = this.registry.acquire(LockRequest.of("order-1").name("orders"));
		this.clock.pass(Duration.ofSeconds(2));
		HeldLock second = this.registry.acquire(LockRequest.of("order-2").name("orders"));
		HeldLock other = this.registry.acquire(LockRequest.of("stock-1").name("stock"));
		HeldLock again = this.registry.acquire(LockRequest.of("stock-1").name("re-entry"));
		this.clock.pass(Duration.ofSeconds(3));
		assertThat(this.registry.holdSummary())
			.isEqualTo(new HoldSummary(Map.of("orders", Duration.ofSeconds(5), "stock", Duration.ofSeconds(3)), 0, 0));
		first.close();
		again.close();
		other.close();
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(this.registry.holdSummary().longest()).containsOnly(Map.entry("orders", Duration.ofSeconds(4)));
		second.close();
	}

	@Test
	void theFiguresAreTakenOnceASecond() {
		HeldLock lock = this.registry.acquire(LockRequest.of("order-1"));
		HoldSummary taken = this.registry.holdSummary();
		this.clock.pass(Duration.ofMillis(999));
		assertThat(this.registry.holdSummary()).isSameAs(taken);
		this.clock.pass(Duration.ofMillis(1));
		assertThat(this.registry.holdSummary()).isNotSameAs(taken);
		lock.close();
	}

	@Test
	void aRegistryThatIsNotRunningHoldsNothing() {
		this.registry.acquire(LockRequest.of("order-1")).close();
		this.registry.shutdown();
		assertThat(this.registry.holdSummary()).isEqualTo(HoldSummary.EMPTY);
	}

}
