package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Faults of other libraries that concern a registry, whatever its store: each test is
 * named after the behaviour that the fault violates. docs/maintainers/peer-bugs.md lists
 * the tests of all these faults.
 */
class PeerBugTests {

	private static final Duration LEASE = Duration.ofMillis(300);

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	private final RecordedEvents events = new RecordedEvents();

	private final BackendLockRegistry registry = registry();

	private final BackendLockRegistry other = registry();

	private BackendLockRegistry registry() {
		return new BackendLockRegistry(new LocalLockBackend(this.store, 17, TimeSource.SYSTEM),
				RedisNodes.settings(LEASE), List.of(this.events), TimeSource.SYSTEM);
	}

	@BeforeEach
	void start() {
		this.registry.start();
		this.other.start();
	}

	@AfterEach
	void stop() {
		this.registry.shutdown();
		this.other.shutdown();
	}

	@Test
	void noKeyIsConfusedOrForgottenWhileManyComeAndGo() {
		List<HeldLock> held = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			held.add(this.registry.acquire(LockRequest.of("order:" + i)));
			held.add(this.registry.acquire(LockRequest.of("item:" + i)));
		}
		assertThat(held).extracting(HeldLock::key).noneMatch(this::isFree);
		Collections.shuffle(held, new Random(1));
		for (HeldLock lock : held) {
			lock.close();
			assertThat(isFree(lock.key())).isTrue();
		}
		await().until(() -> this.registry.snapshot().isIdle() && this.other.snapshot().isIdle());
	}

	@Test
	void aReentryAddsNoRenewal() {
		try (HeldLock outer = this.registry.acquire(LockRequest.of("again"))) {
			// That of the lease, those of three sweeps and of the check for waiting
			// callbacks, which may just run.
			int timers = 5;
			for (int i = 0; i < 5; i++) {
				HeldLock inner = this.registry.acquire(LockRequest.of("again"));
				assertThat(this.registry.snapshot().timers()).isLessThanOrEqualTo(timers);
				inner.close();
			}
			assertThat(outer.isHeld()).isTrue();
		}
		await().until(() -> this.registry.snapshot().timers() <= 4);
	}

	private boolean isFree(String key) {
		return this.other.tryAcquire(LockRequest.of(key).waitTime(Duration.ZERO)).map((lock) -> {
			lock.close();
			return true;
		}).orElse(false);
	}

}
