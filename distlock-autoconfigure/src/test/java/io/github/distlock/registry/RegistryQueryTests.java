package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The snapshot of a registry, and queries of a lock whose lease has expired before the
 * timer of the library finds it.
 */
class RegistryQueryTests implements LockListener {

	private final ManualClock clock = new ManualClock();

	private final RecordedEvents events = new RecordedEvents();

	private Runnable whenReleased = () -> {
	};

	private final BackendLockRegistry registry = new BackendLockRegistry(
			new LocalLockBackend(new LocalStore(this.clock), 1, this.clock),
			TestSettings.of(Duration.ofSeconds(5), Duration.ofMinutes(30), null, TestSettings.NO_HAND_OFF,
					Duration.ofSeconds(10), true, Duration.ZERO),
			() -> List.of(this.events, this), CheckedEnvironment.withoutTimers(this.clock), LockObservers.NONE);

	@BeforeEach
	void start() {
		this.registry.start();
	}

	@AfterEach
	void stop() {
		Thread.interrupted();
		this.registry.shutdown();
	}

	@Override
	public void onReleased(Released event) {
		this.whenReleased.run();
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
		assertThat(this.registry.snapshot().held()).extracting(HeldLockSnapshot::remaining)
			.containsExactly(Duration.ZERO);
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

	@Test
	void aHeldLockIsDescribed() {
		LockRequest request = LockRequest.of("key").name("orders").leaseTime(Duration.ofMinutes(10));
		HeldLock lock = this.registry.acquire(request);
		HeldLock again = this.registry.acquire(request);
		this.clock.pass(Duration.ofMinutes(2));
		RegistrySnapshot snapshot = this.registry.snapshot();
		assertThat(snapshot.held()).singleElement().satisfies((held) -> {
			assertThat(held.key()).isEqualTo("key");
			assertThat(held.name()).isEqualTo("orders");
			assertThat(held.mode()).isEqualTo(LockMode.EXCLUSIVE);
			assertThat(held.fencingToken()).isEqualTo(lock.fencingToken());
			assertThat(held.heldFor()).isGreaterThanOrEqualTo(Duration.ofMinutes(2));
			assertThat(held.remaining()).isBetween(Duration.ofMinutes(7), Duration.ofMinutes(8));
			assertThat(held.reentries()).isOne();
		});
		assertThat(snapshot.heldByThisThread()).isOne();
		assertThat(snapshot.isIdle()).isFalse();
		again.close();
		lock.close();
		assertThat(this.registry.snapshot()).satisfies((empty) -> {
			assertThat(empty.held()).isEmpty();
			assertThat(empty.keys()).isEmpty();
			assertThat(empty.heldByThisThread()).isZero();
			assertThat(empty.isIdle()).isTrue();
		});
	}

	@Test
	void aWriterThatAlsoReadsIsAWriterUntilItsLastLevelIsClosed() {
		HeldLock writer = this.registry.acquire(LockRequest.of("key").mode(LockMode.WRITE));
		HeldLock reader = this.registry.acquire(LockRequest.of("key").mode(LockMode.READ));
		assertThat(this.registry.snapshot().held()).singleElement().satisfies((held) -> {
			assertThat(held.mode()).isEqualTo(LockMode.WRITE);
			assertThat(held.reentries()).isOne();
		});
		writer.close();
		assertThat(this.registry.snapshot().held()).singleElement().satisfies((held) -> {
			assertThat(held.mode()).isEqualTo(LockMode.WRITE);
			assertThat(held.reentries()).isZero();
		});
		reader.close();
	}

	@Test
	void aReentryAddsNoRenewal() {
		HeldLock outer = this.registry.acquire(LockRequest.of("again"));
		int timers = this.registry.snapshot().timers();
		HeldLock inner = this.registry.acquire(LockRequest.of("again"));
		assertThat(this.registry.snapshot().timers()).isLessThanOrEqualTo(timers);
		assertThat(this.registry.snapshot().watchedLeases()).isOne();
		inner.close();
		outer.close();
	}

	@Test
	void aNewExpiryEndsTheLockForAllLevelsButAReentryThatWasClosedBeforeIsReleased() {
		LockRequest request = LockRequest.of("levels");
		HeldLock outer = this.registry.acquire(request);
		HeldLock inner = this.registry.acquire(request);
		inner.close();
		HeldLock late = this.registry.acquire(request);
		assertThat(List.of(inner, outer)).extracting(HeldLock::isReleased).containsExactly(true, false);
		ControlledLock.expireAfter(late, Duration.ofMinutes(1));
		ControlledLock.expireAfter(outer, Duration.ofMinutes(9));
		this.clock.pass(Duration.ofMinutes(9));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> ControlledLock.expireAfter(outer, Duration.ofMinutes(9)));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> ControlledLock.expireAfter(outer, Duration.ofMinutes(9)));
		assertThat(List.of(inner, late, outer)).extracting(HeldLock::isReleased).containsExactly(true, false, false);
		AtomicBoolean notified = new AtomicBoolean();
		outer.onLost(() -> notified.set(true));
		assertThat(notified).as("a callback after the loss").isTrue();
	}

	@Test
	void aLockCountsAsReleasedWhenItsListenersAreTold() {
		HeldLock lock = this.registry.acquire(LockRequest.of("told"));
		AtomicBoolean released = new AtomicBoolean();
		this.whenReleased = () -> released.set(lock.isReleased());
		lock.close();
		assertThat(released).isTrue();
	}

	@Test
	void aClosedLockInItsMinimumHoldTimeIsNotHeldAndNotFreeEither() {
		HeldLock lock = this.registry.acquire(LockRequest.of("kept").minHold(Duration.ofMinutes(1)));
		lock.close();
		assertThat(lock.isHeld()).isFalse();
		assertThat(this.events.released).containsExactly("kept");
		assertThat(this.registry.snapshot().heldByThisThread()).isZero();
		assertThat(this.registry.tryAcquire(LockRequest.of("kept").waitTime(Duration.ZERO))).isEmpty();
	}

	@Test
	void anAbandonedLockIsReleasedAndFreeAtOnce() {
		HeldLock lock = this.registry.acquire(LockRequest.of("abandoned").minHold(Duration.ofMinutes(1)));
		ControlledLock.abandon(lock);
		assertThat(lock.isReleased()).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::close);
		assertThat(lock.isReleased()).isTrue();
		assertThat(this.registry.tryAcquire(LockRequest.of("abandoned").waitTime(Duration.ZERO)))
			.hasValueSatisfying(HeldLock::close);
	}

}
