package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.engine.HandOffLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A held lock with reading and writing levels.
 */
class ReadWriteTests {

	private static final LockRequest REQUEST = LockRequest.of("order-1").waitTime(Duration.ofSeconds(20));

	private static final LockRequest READ = REQUEST.mode(LockMode.READ);

	private static final LockRequest WRITE = REQUEST.mode(LockMode.WRITE);

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	private final RecordedEvents events = new RecordedEvents();

	private final List<BackendLockRegistry> registries = new ArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final BackendLockRegistry one = node(this.store);

	private final BackendLockRegistry two = node(this.store);

	private BackendLockRegistry node(LocalStore store) {
		BackendLockRegistry node = CheckedEnvironment.registry(new LocalLockBackend(store, 17, TimeSource.SYSTEM),
				TestSettings.of(Duration.ofSeconds(20), Duration.ofSeconds(30), null,
						new HandOffLimits(16, Duration.ofMillis(50)), Duration.ofSeconds(10), false,
						Duration.ofSeconds(1)),
				List.of(this.events), TimeSource.SYSTEM);
		node.start();
		this.registries.add(node);
		return node;
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.registries.forEach(BackendLockRegistry::shutdown);
	}

	private boolean twoFinds(LockMode mode) {
		return this.two.tryAcquire(REQUEST.mode(mode).waitTime(Duration.ZERO)).map((lock) -> {
			lock.close();
			return lock;
		}).isPresent();
	}

	@Test
	void aLockViewInsideAWriterExcludesReadersUntilAllLevelsAreClosed() {
		HeldLock writer = this.one.acquire(WRITE);
		Lock view = this.one.obtain("order-1");
		view.lock();
		HeldLock reader = this.one.acquire(READ);
		writer.close();
		view.unlock();
		assertThat(twoFinds(LockMode.READ)).isFalse();
		view.lock();
		view.unlock();
		reader.close();
		assertThat(twoFinds(LockMode.WRITE)).isTrue();
	}

	@Test
	void levelsMayBeClosedByAnyThreadAtAnyMoment() throws Exception {
		for (int round = 0; round < 200; round++) {
			List<HeldLock> levels = List.of(this.one.acquire(WRITE), this.one.acquire(READ), this.one.acquire(WRITE),
					this.one.acquire(READ));
			CountDownLatch start = new CountDownLatch(1);
			List<Future<?>> closers = new ArrayList<>();
			for (HeldLock level : levels) {
				closers.add(this.threads.submit(() -> {
					start.await();
					level.close();
					return true;
				}));
			}
			start.countDown();
			for (Future<?> closer : closers) {
				closer.get(10, TimeUnit.SECONDS);
			}
			assertThat(this.one.snapshot().isIdle()).isTrue();
		}
		// Listeners are called by another thread if the one that acquired does not close.
		await().until(() -> this.events.released.size() == 200);
		assertThat(this.events.lost).isEmpty();
	}

	@Test
	void aCompositePassesModesOnToBothParts() {
		LocalStore other = new LocalStore(TimeSource.SYSTEM);
		BackendLockRegistry second = node(other);
		BackendLockRegistry rival = node(other);
		CompositeLockRegistry both = new CompositeLockRegistry(this.one, second, Duration.ofSeconds(20),
				TimeSource.SYSTEM);
		HeldLock reader = both.acquire(READ);
		for (BackendLockRegistry half : List.of(this.two, rival)) {
			half.acquire(READ.waitTime(Duration.ZERO)).close();
			assertThat(half.tryAcquire(WRITE.waitTime(Duration.ZERO))).isEmpty();
		}
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> both.acquire(WRITE));
		assertThat(reader.isHeld()).isTrue();
		reader.close();
		HeldLock writer = both.acquire(WRITE);
		reader = both.acquire(READ);
		writer.close();
		assertThat(reader.isHeld()).isTrue();
		for (BackendLockRegistry half : List.of(this.two, rival)) {
			assertThat(half.tryAcquire(READ.waitTime(Duration.ZERO))).isEmpty();
		}
		reader.close();
		for (BackendLockRegistry half : List.of(this.two, rival)) {
			half.acquire(WRITE.waitTime(Duration.ZERO)).close();
		}
	}

}
