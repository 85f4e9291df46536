package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks that stay locked for a minimum hold time after they were closed.
 */
class MinHoldTests extends TwoRegistries {

	private static final Duration MIN_HOLD = Duration.ofMillis(800);

	private static void close(BackendLockRegistry registry, String key) {
		registry.acquire(request(key).minHold(MIN_HOLD)).close();
	}

	private long waitedByTheOther(String key, long start) {
		this.two.acquire(request(key)).close();
		return (System.nanoTime() - start) / 1_000_000;
	}

	private static boolean isFree(BackendLockRegistry registry, String key) {
		Optional<HeldLock> lock = registry.tryAcquire(LockRequest.of(key).waitTime(Duration.ZERO));
		// Otherwise the shutdown after the test would wait for it.
		lock.ifPresent(HeldLock::close);
		return lock.isPresent();
	}

	@Test
	void aClosedLockStaysLockedForOthersAndForItsOwnThread() {
		long start = System.nanoTime();
		HeldLock lock = this.one.acquire(request("kept").minHold(MIN_HOLD));
		lock.close();
		assertThat(lock.isHeld()).isFalse();
		assertThat(this.events.released).containsExactly("kept");
		assertThat(this.one.snapshot().heldByThisThread()).isZero();
		assertThat(isFree(this.two, "kept")).isFalse();
		assertThat(isFree(this.one, "kept")).isFalse();
		assertThat(waitedByTheOther("kept", start)).isBetween(795L, 5_000L);
		assertThat(this.events.lost).isEmpty();
	}

	@Test
	void aLockThatWasHeldForLongerIsFreeAtOnce() {
		HeldLock lock = this.one.acquire(request("long").minHold(Duration.ofMillis(1)));
		long acquired = System.nanoTime();
		HeldLock again = this.one.acquire(request("long").minHold(Duration.ofMinutes(1)));
		again.close();
		await().until(() -> System.nanoTime() - acquired > 1_000_000);
		lock.close();
		assertThat(isFree(this.two, "long")).isTrue();
	}

	@Test
	void anAbandonedLockIsFreeAtOnce() {
		this.one.acquire(request("abandoned").minHold(Duration.ofMinutes(1))).abandon();
		assertThat(isFree(this.two, "abandoned")).isTrue();
	}

	@Test
	void aShutdownDoesNotWaitAndTheStoreKeepsTheLockWithoutTheJvm() {
		BackendLockRegistry brief = redis.node(RedisNodes.settings(Duration.ofMillis(200)), List.of(this.events));
		long start = System.nanoTime();
		close(brief, "left");
		brief.shutdown();
		assertThat(System.nanoTime() - start).isLessThan(MIN_HOLD.toNanos());
		assertThat(waitedByTheOther("left", start)).isBetween(795L, 5_000L);
	}

	@Test
	void aMinimumHoldTimeThatCannotBeKeptIsRefused() {
		for (Duration minHold : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(11))) {
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(() -> request("bad").leaseTime(Duration.ofSeconds(10)).minHold(minHold))
				.withMessageContaining("minimum hold time of lock 'bad' is " + minHold);
		}
	}

}
