package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The interrupt for a lost lock reaches its thread while it holds the lock, and not
 * later.
 */
class InterruptOnLostTests {

	private final BackendLockRegistry registry = new BackendLockRegistry(
			new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM),
			TestSettings.of(Duration.ofSeconds(20), Duration.ofSeconds(30), null, TestSettings.NO_HAND_OFF,
					Duration.ofSeconds(20), true, Duration.ofMillis(100)),
			List.of(), TimeSource.SYSTEM);

	private final CountDownLatch interrupting = new CountDownLatch(1);

	private final CountDownLatch left = new CountDownLatch(1);

	@BeforeEach
	void setUp() {
		this.registry.start();
	}

	@AfterEach
	void tearDown() {
		this.registry.shutdown();
	}

	@Test
	void noInterruptArrivesAfterTheRelease() throws Exception {
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread holder = new SlowlyInterrupted(() -> {
			HeldLock lock = this.registry.acquire(LockRequest.of("key").leaseTime(Duration.ofMillis(100)));
			try {
				// Not await(): the interrupt must arrive during close().
				while (this.interrupting.getCount() > 0) {
					Thread.onSpinWait();
				}
				lock.close();
			}
			catch (LockLostException ex) {
				// Expected.
			}
			interrupted.complete(Thread.interrupted());
			this.left.countDown();
		});
		holder.start();
		assertThat(interrupted.get(20, TimeUnit.SECONDS)).as("interrupted before close() returned").isTrue();
		holder.join(TimeUnit.SECONDS.toMillis(20));
	}

	/** A thread that is interrupted after it has released the lock, or after a while. */
	private final class SlowlyInterrupted extends Thread {

		SlowlyInterrupted(Runnable task) {
			super(task);
		}

		@Override
		public void interrupt() {
			InterruptOnLostTests.this.interrupting.countDown();
			try {
				InterruptOnLostTests.this.left.await(500, TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			super.interrupt();
		}

	}

}
