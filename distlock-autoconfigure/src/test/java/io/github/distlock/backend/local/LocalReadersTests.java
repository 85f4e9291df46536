package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.waiting.HandOffLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads of several JVMs that read, write, and read what they have written.
 */
class LocalReadersTests {

	private static final int ROUNDS = 30;

	private final Map<String, LocalLock> locks = new ConcurrentHashMap<>();

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM, this.locks);

	private final List<BackendLockRegistry> nodes = List.of(node(), node(), node());

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final AtomicInteger readers = new AtomicInteger();

	private final AtomicInteger writers = new AtomicInteger();

	private final AtomicInteger overlaps = new AtomicInteger();

	private final AtomicInteger mostReaders = new AtomicInteger();

	private BackendLockRegistry node() {
		BackendLockRegistry node = new BackendLockRegistry(new LocalLockBackend(this.store, 17, TimeSource.SYSTEM),
				new RegistrySettings(LockRequest.FOREVER, Duration.ofSeconds(30), null,
						new HandOffLimits(16, Duration.ofMillis(50)), Duration.ofSeconds(10), false,
						Duration.ofSeconds(1)),
				List.of(), TimeSource.SYSTEM);
		node.start();
		return node;
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.nodes.forEach(BackendLockRegistry::shutdown);
	}

	@Test
	void readersOverlapAndWritersOverlapNoHolder() throws Exception {
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			BackendLockRegistry node = this.nodes.get(i % this.nodes.size());
			int kind = i / this.nodes.size();
			workers.add(this.threads.submit(() -> {
				for (int n = 0; n < ROUNDS; n++) {
					work(node, kind);
				}
				return true;
			}));
		}
		for (Future<?> worker : workers) {
			worker.get(60, TimeUnit.SECONDS);
		}
		assertThat(this.overlaps).hasValue(0);
		assertThat(this.mostReaders).hasValueGreaterThan(1);
		assertThat(this.locks).isEmpty();
	}

	private void work(BackendLockRegistry node, int kind) {
		LockRequest request = LockRequest.of("key").fair(ThreadLocalRandom.current().nextBoolean());
		switch (kind) {
			case 0 -> write(node.acquire(request.mode(LockMode.WRITE)));
			case 1 -> writeAndRead(node, request);
			case 2 -> impatient(node, request);
			default -> read(node.acquire(request.mode(LockMode.READ)));
		}
	}

	/** Acquires the lock seldom, and must leave no ticket in the queue. */
	private void impatient(BackendLockRegistry node, LockRequest request) {
		node.tryAcquire(request.mode(LockMode.WRITE).waitTime(Duration.ofMillis(1))).ifPresent(this::write);
		node.tryAcquire(request.mode(LockMode.READ).waitTime(Duration.ZERO)).ifPresent(this::read);
	}

	private void read(HeldLock lock) {
		try (lock) {
			reading();
		}
	}

	private void write(HeldLock lock) {
		try (lock) {
			writing();
		}
	}

	private void writeAndRead(BackendLockRegistry node, LockRequest request) {
		HeldLock writer = node.acquire(request.mode(LockMode.WRITE));
		writing();
		try (HeldLock reader = node.acquire(request.mode(LockMode.READ))) {
			writer.close();
			// It is still the writer.
			writing();
			assertThat(reader.isHeld()).isTrue();
		}
	}

	/** Guarded by the lock: not atomic, not volatile. */
	private int written;

	private void writing() {
		boolean alone = this.writers.incrementAndGet() == 1 && this.readers.get() == 0;
		int now = this.written + 1;
		Thread.yield();
		this.written = now;
		alone &= this.writers.get() == 1 && this.readers.get() == 0;
		this.overlaps.addAndGet(alone ? 0 : 1);
		this.writers.decrementAndGet();
	}

	private void reading() {
		int inside = this.readers.incrementAndGet();
		int seen = this.written;
		this.mostReaders.accumulateAndGet(inside, Math::max);
		LockSupport.parkNanos(200_000);
		boolean undisturbed = this.writers.get() == 0 && this.written == seen;
		this.overlaps.addAndGet(undisturbed ? 0 : 1);
		this.readers.decrementAndGet();
	}

}
