package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.HotKey;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A thread is interrupted once in each round, at any point between the call and the end
 * of the release, while other threads contend. The interrupt for a lost lock reaches its
 * thread while it holds the lock, and not later.
 */
class InterruptTests extends TwoRegistries {

	private static final int ROUNDS = 400;

	private static final String KEY = "interrupted";

	private final long seed = Long.getLong("distlock.seed", System.nanoTime());

	private final HotKey key = new HotKey(KEY);

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicInteger gaveUp = new AtomicInteger();

	private final CountDownLatch interrupting = new CountDownLatch(1);

	private final CountDownLatch left = new CountDownLatch(1);

	@Test
	void anInterruptAnywhereIsKeptOrThrownAndLeavesNothingLocked() throws Exception {
		Random seeds = new Random(this.seed);
		ScheduledExecutorService interrupter = Executors.newSingleThreadScheduledExecutor();
		List<Future<?>> workers = new ArrayList<>();
		for (BackendLockRegistry node : List.of(this.one, this.two, this.one, this.two)) {
			Random random = new Random(seeds.nextLong());
			workers.add(this.threads.submit(() -> {
				for (int round = 0; round < ROUNDS; round++) {
					round(node, random, interrupter);
				}
			}));
		}
		for (Future<?> worker : workers) {
			try {
				worker.get(60, TimeUnit.SECONDS);
			}
			catch (ExecutionException ex) {
				throw new AssertionError("With seed " + this.seed, ex.getCause());
			}
		}
		interrupter.shutdown();
		assertThat(this.gaveUp).as("seed %d", this.seed).hasPositiveValue();
		assertThat(this.key.violations()).as("seed %d", this.seed).isEmpty();
		assertThat(this.events.lost).as("seed %d", this.seed).isEmpty();
		await()
			.untilAsserted(() -> assertThat(List.of(this.one, this.two)).allMatch((node) -> node.snapshot().isIdle()));
		assertThat(redis.queue(KEY)).isEmpty();
		redis.node().acquire(LockRequest.of(KEY).waitTime(Duration.ZERO)).close();
		await().atMost(Duration.ofSeconds(30)).until(() -> redis.keys() == 0);
	}

	@Test
	void aWakeUpThatAListenerHasConsumedIsNotMissed() throws Exception {
		HeldLock held = this.one.acquire(request("wake-up"));
		CountDownLatch granted = new CountDownLatch(1);
		BackendLockRegistry node = redis.node(new LockListener() {

			@Override
			public void onWaiting(Waiting event) {
				try {
					granted.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}

		});
		Future<HeldLock> waiter = this.threads.submit(() -> node.acquire(request("wake-up")));
		await().until(() -> redis.queueLength("wake-up") == 1);
		held.close();
		await().pollDelay(Duration.ofMillis(300)).until(() -> redis.queueLength("wake-up") == 0);
		granted.countDown();
		waiter.get(10, TimeUnit.SECONDS).close();
	}

	private void round(BackendLockRegistry node, Random random, ScheduledExecutorService interrupter) {
		Thread self = Thread.currentThread();
		Future<?> interrupt = interrupter.schedule(self::interrupt, random.nextInt(2500), TimeUnit.MICROSECONDS);
		boolean thrown = switch (random.nextInt(4)) {
			case 0 -> acquire(node, LockRequest.of(KEY).waitTime(LockRequest.FOREVER));
			case 1 -> acquire(node, LockRequest.of(KEY).waitTime(Duration.ofMillis(1)));
			case 2 -> lock(node.obtain(KEY));
			default -> lockInterruptibly(node.obtain(KEY));
		};
		while (!interrupt.isDone()) {
			Thread.yield();
		}
		assertThat(Thread.interrupted()).as("either kept or thrown").isNotEqualTo(thrown);
	}

	private boolean acquire(BackendLockRegistry node, LockRequest request) {
		try (HeldLock lock = node.acquire(request)) {
			this.key.entered(lock);
			stay();
			this.key.leaving(lock);
		}
		catch (LockNotAcquiredException ex) {
			if (ex.getCause() instanceof InterruptedException) {
				this.gaveUp.incrementAndGet();
				assertThat(Thread.currentThread().isInterrupted()).as("flag beside the exception").isTrue();
			}
			else {
				assertThat(request.waitTime()).isPositive();
			}
		}
		return false;
	}

	private boolean lock(Lock lock) {
		lock.lock();
		try {
			stay();
		}
		finally {
			lock.unlock();
		}
		return false;
	}

	private boolean lockInterruptibly(Lock lock) {
		try {
			lock.lockInterruptibly();
		}
		catch (InterruptedException ex) {
			this.gaveUp.incrementAndGet();
			return true;
		}
		try {
			stay();
		}
		finally {
			lock.unlock();
		}
		return false;
	}

	private void stay() {
		assertThat(this.inside.incrementAndGet()).as("threads inside").isEqualTo(1);
		LockSupport.parkNanos(this, 50_000);
		this.inside.decrementAndGet();
	}

	@Test
	void noInterruptForALostLockArrivesAfterItsRelease() throws Exception {
		BackendLockRegistry registry = redis.node(TestSettings.of(Duration.ofSeconds(20), Duration.ofSeconds(30), null,
				TestSettings.NO_HAND_OFF, Duration.ofSeconds(20), true, Duration.ofMillis(100)), List.of());
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread holder = new SlowlyInterrupted(() -> {
			HeldLock lock = registry.acquire(LockRequest.of("key").leaseTime(Duration.ofMillis(100)));
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
			InterruptTests.this.interrupting.countDown();
			try {
				InterruptTests.this.left.await(500, TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			super.interrupt();
		}

	}

}
