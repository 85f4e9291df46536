package io.github.distlock.torture.worker;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.torture.check.Checker;

/**
 * Locks whose callbacks run code of the application, on keys of their own. Of their
 * history only losses are recorded.
 */
final class AsideLocks {

	private static final int KEYS = 4;

	private static final String RENEWED = "renewed";

	private static final Duration WAIT = Duration.ofSeconds(1);

	/** A lock with it is lost soon. */
	private static final Duration SHORT_LEASE = Duration.ofMillis(150);

	private final LockRegistry registry;

	private final Random random;

	AsideLocks(LockRegistry registry, WorkerSettings settings) {
		this.registry = registry;
		this.random = new Random(settings.seed() * 41);
	}

	/** Whether a key is one of these. */
	static boolean isAside(String key) {
		return key.startsWith(RENEWED) || key.startsWith(Checker.EXPIRING);
	}

	/** Run a task as a continuation, under a lock that the watchdog renews. */
	void continueWith(Runnable task) {
		acquire(RENEWED, Duration.ZERO).whenComplete((lock, failure) -> {
			task.run();
			if (lock != null) {
				close(lock);
			}
		});
	}

	/** Run a task as the callback for the loss of a lock. */
	void loseWith(Runnable task) {
		acquire(Checker.EXPIRING, SHORT_LEASE).whenComplete((lock, failure) -> {
			if (lock != null) {
				lock.onLost(task);
			}
			else {
				task.run();
			}
		});
	}

	private CompletableFuture<HeldLock> acquire(String name, Duration lease) {
		LockRequest request = LockRequest.of(name + this.random.nextInt(KEYS)).waitTime(WAIT);
		return this.registry.acquireAsync(lease.isZero() ? request : request.leaseTime(lease));
	}

	private static void close(HeldLock lock) {
		try {
			lock.close();
		}
		catch (LockException ex) {
			// The lock was lost, which is recorded.
		}
	}

}
