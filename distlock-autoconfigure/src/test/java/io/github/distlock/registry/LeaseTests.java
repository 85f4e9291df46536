package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The duration of leases, and their loss.
 */
class LeaseTests extends TwoRegistries {

	@Test
	void anExplicitLeaseEndsInTimeAndIsReported() throws Exception {
		AtomicInteger notified = new AtomicInteger();
		HeldLock lock = this.one.acquire(request("explicit").leaseTime(Duration.ofMillis(200)));
		lock.onLost(notified::incrementAndGet);
		// Another caller acquires the lock as soon as the lease has expired.
		HeldLock next = this.two.acquire(request("explicit"));
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isEqualTo(Duration.ZERO);
		assertThat(next.fencingToken()).isGreaterThan(lock.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close).withMessageContaining("'explicit'");
		assertThat(next.isHeld()).isTrue();
		await().untilAtomic(notified, org.hamcrest.Matchers.is(1));
		lock.onLost(notified::incrementAndGet);
		assertThat(notified).hasValue(2);
		await().untilAsserted(() -> assertThat(this.events.lost).containsExactly("explicit"));
		assertThat(this.events.released).isEmpty();
		next.close();
	}

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
		next.close();
	}

	@Test
	void aKeyThatVanishesFromTheStoreIsReportedAsLost() {
		BackendLockRegistry brief = redis.node(RedisNodes.settings(Duration.ofMillis(600)), List.of(this.events));
		HeldLock lock = brief.acquire(request("flushed"));
		redis.flush();
		await().atMost(Duration.ofSeconds(10)).until(() -> !lock.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		// The thread that has found it tells the listeners.
		await().untilAsserted(() -> assertThat(this.events.lost).containsExactly("flushed"));
		try (HeldLock next = this.two.acquire(request("flushed"))) {
			assertThat(next.fencingToken()).isGreaterThan(lock.fencingToken());
		}
	}

	@Test
	void aLockViewWhoseThreadHasDiedIsLost() throws Exception {
		BackendLockRegistry brief = redis.node(RedisNodes.settings(Duration.ofMillis(600)), List.of(this.events));
		Thread dead = new Thread(() -> brief.obtain("orphan").lock());
		dead.start();
		dead.join();
		this.two.acquire(request("orphan")).close();
		await().until(() -> List.copyOf(this.events.lost).equals(List.of("orphan")));
	}

}
