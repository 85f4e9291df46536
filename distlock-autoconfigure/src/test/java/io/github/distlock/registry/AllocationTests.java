package io.github.distlock.registry;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The memory that a thread allocates to acquire and release a lock, and how often it
 * reads the clocks. These numbers do not depend on how busy the machine is. The store is
 * local, so it is the engine that is measured. A cycle without I/O reads the clocks few
 * times, so each reading serves several purposes: the process is also paused for longer
 * than the lease before one of them. Then what a new JVM loads and initializes when it
 * acquires its first locks.
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

	private static final Duration PAUSE = Duration.ofHours(1);

	private final PausingClock clock = new PausingClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final BackendLockRegistry paused = registry(this.store, this.clock);

	private final BackendLockRegistry other = registry(this.store, this.clock);

	@AfterEach
	void stop() {
		this.paused.shutdown();
		this.other.shutdown();
	}

	@Test
	void aCycleWithoutWaitingCreatesNoObjectForEachStep() {
		assumeTrue(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean counts
				&& counts.isThreadAllocatedMemoryEnabled(), "this JVM counts no bytes");
		assumeTrue(hasSmallReferences(), "the references of this JVM are larger than those that were counted");
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		BackendLockRegistry registry = registry(new LocalStore(TimeSource.SYSTEM), TimeSource.SYSTEM);
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
		LockRequest request = LockRequest.of("key");
		// Its lease is watched, so that the next one sets no timer.
		HeldLock first = this.paused.acquire(LockRequest.of("first"));
		this.clock.pauseBefore(Integer.MAX_VALUE);
		this.paused.acquire(request).close();
		assertThat(this.clock.readings()).isLessThanOrEqualTo(MOST_READINGS);
		first.close();
	}

	/** Not in a heap of 32 GB or more, which is the default from 128 GB of memory on. */
	private static boolean hasSmallReferences() {
		return Boolean.parseBoolean(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
			.getVMOption("UseCompressedOops")
			.getValue());
	}

	private static BackendLockRegistry registry(LocalStore store, TimeSource clock) {
		BackendLockRegistry registry = new BackendLockRegistry(new LocalLockBackend(store, 501, clock),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(), clock);
		registry.start();
		return registry;
	}

	private static void cycle(BackendLockRegistry registry, LockRequest request) {
		for (int i = 0; i < CYCLES; i++) {
			registry.acquire(request).close();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 })
	void aLockThatCountsAsHeldIsHeldInTheStore(int reading) {
		this.clock.pauseBefore(reading);
		boolean counts = this.paused.tryAcquire(LockRequest.of("key")).filter(HeldLock::isHeld).isPresent();
		assertThat(this.other.tryAcquire(LockRequest.of("key").waitTime(Duration.ZERO)).isPresent()).isEqualTo(!counts);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5 })
	void aCloseReportsTheLossIfTheLeaseMayHaveEndedBeforeIt(int reading) {
		HeldLock held = this.paused.acquire(LockRequest.of("key"));
		this.clock.pauseBefore(reading);
		boolean lost = false;
		try {
			held.close();
		}
		catch (LockLostException ex) {
			lost = true;
		}
		// The wall clock is the first, the monotonic clock the second and the third, and
		// the fourth is read by the store.
		assertThat(lost).isEqualTo(reading <= 4);
	}

	/** Both clocks advance before a reading, as if the process had not run meanwhile. */
	private static final class PausingClock implements TimeSource {

		private final AtomicLong pausedNanos = new AtomicLong();

		private final AtomicInteger readings = new AtomicInteger(Integer.MAX_VALUE);

		/** Timers read the clock, too. */
		private final Thread counted = Thread.currentThread();

		void pauseBefore(int reading) {
			this.readings.set(reading);
		}

		/** How often the clocks were read since. */
		int readings() {
			return Integer.MAX_VALUE - this.readings.get();
		}

		private long paused() {
			if (Thread.currentThread() == this.counted && this.readings.decrementAndGet() == 0) {
				this.pausedNanos.addAndGet(PAUSE.toNanos());
			}
			return this.pausedNanos.get();
		}

		@Override
		public long nanoTime() {
			return paused() + SYSTEM.nanoTime();
		}

		@Override
		public long wallMillis() {
			return Duration.ofNanos(paused()).toMillis() + SYSTEM.wallMillis();
		}

	}

	@Test
	void theFirstLockNeedsNoGeneratedMethodOfARecordAndTheNextOnesLoadNoClassOfTheLibrary() {
		try (ChildJvm child = ChildJvm.start(List.of("-Xlog:class+load"), Program.class)) {
			assertThat(child.linesBefore("first"))
				.as("the methods that the JVM generates for a record load many classes")
				.anyMatch((line) -> line.contains("io.github.distlock.engine.KeyState "))
				.noneMatch((line) -> line.contains("java.lang.runtime.ObjectMethods"));
			assertThat(child.linesBefore("hundredth")).noneMatch((line) -> line.contains("] io.github.distlock."));
		}
	}

	@Test
	void aFirstCallThatHasNoStackMakesNoClassWithFieldUpdatersUseless() {
		try (ChildJvm child = ChildJvm.start(List.of("-Xlog:class+init"), Program.class)) {
			assertThat(child.linesBefore("first")).anyMatch((line) -> line.contains("distlock/engine/KeyState'"))
				.noneMatch((line) -> line.matches(".* '.*distlock/(registry/Caller|engine/Hold)'.*"));
		}
	}

	/** Locks in the store {@code local} a hundred times. */
	static final class Program {

		private Program() {
		}

		public static void main(String[] args) {
			PrintStream out = System.out;
			BackendLockRegistry registry = new BackendLockRegistry(
					new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
					RedisNodes.settings(Duration.ofSeconds(30)), List::of,
					CheckedEnvironment.withoutTimers(TimeSource.SYSTEM), LockObservers.NONE);
			registry.start();
			LockRequest request = LockRequest.of("key");
			out.println("started");
			registry.acquire(request).close();
			out.println("first");
			for (int i = 1; i < 100; i++) {
				registry.acquire(request).close();
			}
			out.println("hundredth");
			Runtime.getRuntime().halt(0);
		}

	}

}
