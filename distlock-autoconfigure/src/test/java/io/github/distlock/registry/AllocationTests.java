package io.github.distlock.registry;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.ThreadMXBean;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The memory that a thread allocates to acquire and release a lock, and how often it
 * reads the clocks. These numbers do not depend on how busy the machine is. The store is
 * local, so it is the engine that is measured.
 */
class AllocationTests {

	/** Counted: 1,840 without escape analysis, 680 of them in the store. */
	private static final long MOST_BYTES = 1848;

	/**
	 * Counted: one when the wait begins, both clocks before the attempt, one when the
	 * grant has arrived, both before the caller goes on, and one when the lease begins;
	 * at the end both clocks for the lease, one for the release, and those of the store.
	 */
	private static final int MOST_READINGS = 14;

	private static final int CYCLES = 20_000;

	@Test
	void aCycleWithoutWaitingCreatesNoObjectForEachStep() {
		assumeTrue(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean counts
				&& counts.isThreadAllocatedMemoryEnabled(), "this JVM counts no bytes");
		assumeTrue(hasSmallReferences(), "the references of this JVM are larger than those that were counted");
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		BackendLockRegistry registry = registry(TimeSource.SYSTEM);
		try {
			LockRequest request = LockRequest.of("key");
			cycle(registry, request);
			long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
			cycle(registry, request);
			long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
			assertThat(bytes / CYCLES).isLessThanOrEqualTo(MOST_BYTES);
		}
		finally {
			registry.shutdown();
		}
	}

	@Test
	void aCycleWithoutWaitingReadsTheClocksAFewTimes() {
		AtomicInteger readings = new AtomicInteger();
		// The timer of the registry reads them, too.
		Thread counted = Thread.currentThread();
		BackendLockRegistry registry = registry(new TimeSource() {

			@Override
			public long nanoTime() {
				readings.addAndGet((Thread.currentThread() == counted) ? 1 : 0);
				return SYSTEM.nanoTime();
			}

			@Override
			public long wallMillis() {
				readings.addAndGet((Thread.currentThread() == counted) ? 1 : 0);
				return SYSTEM.wallMillis();
			}

		});
		try {
			LockRequest request = LockRequest.of("key");
			// Its lease is watched, so that the next one sets no timer.
			HeldLock first = registry.acquire(LockRequest.of("first"));
			readings.set(0);
			registry.acquire(request).close();
			assertThat(readings.get()).isLessThanOrEqualTo(MOST_READINGS);
			first.close();
		}
		finally {
			registry.shutdown();
		}
	}

	/** Not in a heap of 32 GB or more, which is the default from 128 GB of memory on. */
	private static boolean hasSmallReferences() {
		return Boolean.parseBoolean(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
			.getVMOption("UseCompressedOops")
			.getValue());
	}

	private static BackendLockRegistry registry(TimeSource clock) {
		BackendLockRegistry registry = new BackendLockRegistry(new LocalLockBackend(new LocalStore(clock), 501, clock),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(), clock);
		registry.start();
		return registry;
	}

	private static void cycle(BackendLockRegistry registry, LockRequest request) {
		for (int i = 0; i < CYCLES; i++) {
			registry.acquire(request).close();
		}
	}

}
