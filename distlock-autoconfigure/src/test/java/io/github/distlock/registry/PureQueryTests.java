package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Queries of a lock whose lease has expired before the timer of the library finds it.
 */
class PureQueryTests {

	private final ManualClock clock = new ManualClock();

	private final RecordedEvents events = new RecordedEvents();

	private final BackendLockRegistry registry = new BackendLockRegistry(
			new LocalLockBackend(new LocalStore(this.clock), 1, this.clock),
			TestSettings.of(Duration.ofSeconds(5), Duration.ofMinutes(30), null, TestSettings.NO_HAND_OFF,
					Duration.ofSeconds(10), true, Duration.ZERO),
			List.of(this.events), this.clock);

	@BeforeEach
	void start() {
		this.registry.start();
	}

	@AfterEach
	void stop() {
		Thread.interrupted();
		this.registry.shutdown();
	}

	@Test
	void queriesOfAnExpiredLockNotifyNoListenerAndInterruptNoThread() {
		AtomicBoolean notified = new AtomicBoolean();
		HeldLock lock = this.registry.acquire(LockRequest.of("pure").leaseTime(Duration.ofMinutes(10)));
		lock.onLost(() -> notified.set(true));
		this.clock.pass(Duration.ofMinutes(11));
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThat(lock.isReleased()).isFalse();
		assertThat(lock).hasToString("HeldLock[pure, token " + lock.fencingToken() + ", not held]");
		assertThat(this.events.lost).isEmpty();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(notified).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		assertThat(this.events.lost).containsExactly("pure");
	}

	@Test
	void aReentryOfAnExpiredLockReportsTheLoss() {
		HeldLock lock = this.registry.acquire(LockRequest.of("again").leaseTime(Duration.ofMinutes(10)));
		this.clock.pass(Duration.ofMinutes(11));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.registry.acquire(LockRequest.of("again")));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
	}

}
