package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A lease with a new expiry, and what a lock reports about its release.
 */
class LeaseTests extends TwoRegistries {

	@Test
	void aHeldLockWithANewExpiryOutlivesTheLeaseInTheStoreAndEndsInTime() {
		BackendLockRegistry brief = redis.node(RedisNodes.settings(Duration.ofMillis(300)), List.of(this.events));
		HeldLock outer = brief.acquire(request("expiring"));
		HeldLock inner = brief.acquire(request("expiring"));
		inner.expireAfter(Duration.ofMillis(100));
		long start = System.nanoTime();
		outer.expireAfter(Duration.ofMillis(900));
		inner.close();
		HeldLock next = this.two.acquire(request("expiring"));
		assertThat(System.nanoTime() - start).isBetween(850_000_000L, 5_000_000_000L);
		assertThat(this.events.renewed).hasValueLessThanOrEqualTo(2);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> outer.expireAfter(Duration.ofMillis(900)));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
		AtomicInteger notified = new AtomicInteger();
		outer.onLost(notified::incrementAndGet);
		assertThat(notified).as("a callback after the loss").hasValue(1);
		next.close();
	}

	@Test
	void anAbandonedLockIsReleased() {
		HeldLock lock = this.two.acquire(LockRequest.of("abandoned").minHold(Duration.ofSeconds(1)));
		lock.abandon();
		assertThat(lock.isReleased()).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::close);
		assertThat(lock.isReleased()).isTrue();
	}

	@Test
	void aLockIsReleasedWhileItsReleaseIsUnderWay() {
		AtomicReference<HeldLock> lock = new AtomicReference<>();
		AtomicReference<Boolean> seen = new AtomicReference<>();
		LockListener listener = new LockListener() {

			@Override
			public void onReleased(Released event) {
				seen.set(lock.get().isReleased());
			}

		};
		lock.set(redis.node(listener).acquire(LockRequest.of("on-its-way")));
		lock.get().close();
		assertThat(seen).hasValue(true);
	}

	@Test
	void aReentryIsReleasedWhateverTheStateOfTheOutermostAcquisition() {
		BackendLockRegistry registry = this.two;
		HeldLock outer = registry.acquire(LockRequest.of("levels").leaseTime(Duration.ofSeconds(1)));
		HeldLock inner = registry.acquire(LockRequest.of("levels"));
		inner.close();
		assertThat(inner.isReleased()).isTrue();
		assertThat(outer.isReleased()).isFalse();
		HeldLock late = registry.acquire(LockRequest.of("levels"));
		await().until(() -> !outer.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(late::close);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
		assertThat(List.of(inner.isReleased(), late.isReleased(), outer.isReleased())).containsExactly(true, false,
				false);
	}

	@Test
	void aLockInTwoRegistriesIsReleasedIfBothPartsAre() {
		BackendLockRegistry first = this.one;
		BackendLockRegistry second = new BackendLockRegistry(
				new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(), TimeSource.SYSTEM);
		second.start();
		CompositeLockRegistry both = new CompositeLockRegistry(first, second, Duration.ofSeconds(5), TimeSource.SYSTEM);
		HeldLock lock = both.acquire(LockRequest.of("both"));
		assertThat(lock.isReleased()).isFalse();
		lock.close();
		assertThat(lock.isReleased()).isTrue();
		HeldLock lost = both.acquire(LockRequest.of("both").leaseTime(Duration.ofMillis(150)));
		await().until(() -> !lost.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
		assertThat(lost.isReleased()).isFalse();
		second.shutdown();
	}

}
