package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cycle without I/O reads the clocks few times, so each reading serves several
 * purposes. Here the process is paused for longer than the lease before one of them.
 */
class PausedCycleTests {

	private static final Duration PAUSE = Duration.ofHours(1);

	private final PausingClock clock = new PausingClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final BackendLockRegistry paused = registry();

	private final BackendLockRegistry other = registry();

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 })
	void aLockThatCountsAsHeldIsHeldInTheStore(int reading) {
		this.clock.pauseBefore(reading);
		boolean counts = this.paused.tryAcquire(LockRequest.of("key")).filter(HeldLock::isHeld).isPresent();
		assertThat(this.other.tryAcquire(LockRequest.of("key").waitTime(Duration.ZERO)).isPresent()).isEqualTo(!counts);
		this.paused.shutdown();
		this.other.shutdown();
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
		this.paused.shutdown();
		this.other.shutdown();
	}

	private BackendLockRegistry registry() {
		BackendLockRegistry registry = CheckedEnvironment.registry(new LocalLockBackend(this.store, 501, this.clock),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(), this.clock);
		registry.start();
		return registry;
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

}
