package io.github.distlock.torture.worker;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.torture.worker.WorkerSettings.Load;
import org.jspecify.annotations.Nullable;

/**
 * A call for a lock.
 *
 * @param how the API that is used
 * @param leaseMillis the explicit lease, or that of the watchdog
 * @param waitMillis the wait time, -1 for no limit
 * @param fair whether the order of arrival holds across all JVMs
 * @param permits how many readers may hold the lock at once, 0 for no limit
 */
record Call(How how, String key, int leaseMillis, int waitMillis, boolean fair, LockMode mode, int permits) {

	/** Of the callers of a key with permits. */
	private static final double READERS = 0.8;

	enum How {

		WATCHDOG, LEASE, VIEW, ASYNC

	}

	static Call random(Random random, Load load) {
		How how = How.values()[random.nextInt(How.values().length)];
		String key = "k" + random.nextInt(load.keys());
		boolean fair = how != How.VIEW && random.nextDouble() < load.fair();
		boolean limited = load.permits() > 0 && key.equals("k0");
		double read = limited ? Math.max(load.read(), READERS) : load.read();
		LockMode mode = (how != How.VIEW && read > 0) ? mode(random, read) : LockMode.EXCLUSIVE;
		int permits = (limited && mode == LockMode.READ) ? load.permits() : 0;
		boolean patient = random.nextDouble() < load.patient();
		if (how != How.VIEW && random.nextDouble() < load.lasting()) {
			// A caller that is granted this lock without knowing it blocks the others for
			// long.
			return new Call((how == How.ASYNC) ? how : How.LEASE, key, WorkerSettings.LONGEST_LEASE_MILLIS,
					patient ? -1 : random.nextInt(150), fair, mode, permits);
		}
		int lease = (how == How.LEASE) ? load.leaseMillis() * (4 + random.nextInt(7)) / 10 : load.leaseMillis();
		return new Call(how, key, lease, patient ? -1 : random.nextInt(4) * random.nextInt(600), fair, mode, permits);
	}

	private static LockMode mode(Random random, double read) {
		if (random.nextDouble() < read) {
			return LockMode.READ;
		}
		return random.nextBoolean() ? LockMode.WRITE : LockMode.EXCLUSIVE;
	}

	boolean reads() {
		return this.mode == LockMode.READ;
	}

	boolean isRenewed() {
		return this.how == How.WATCHDOG || this.how == How.VIEW
				|| (this.how == How.ASYNC && this.leaseMillis < WorkerSettings.LONGEST_LEASE_MILLIS);
	}

	/**
	 * Make the call. Answers the lock, or {@code null} if it was not acquired in time.
	 */
	@Nullable Stay make(LockRegistry registry) throws InterruptedException, ExecutionException {
		if (this.how == How.VIEW) {
			return view(registry);
		}
		LockRequest request = LockRequest.of(this.key)
			.fair(this.fair)
			.mode(this.mode)
			.waitTime((this.waitMillis < 0) ? LockRequest.FOREVER : Duration.ofMillis(this.waitMillis));
		if (this.permits > 0) {
			request = request.permits(this.permits);
		}
		if (!isRenewed()) {
			request = request.leaseTime(Duration.ofMillis(this.leaseMillis));
		}
		if (this.how == How.ASYNC) {
			return async(registry.acquireAsync(request));
		}
		return registry.tryAcquire(request).map((lock) -> new Stay(lock, null)).orElse(null);
	}

	private @Nullable Stay view(LockRegistry registry) throws InterruptedException {
		Lock lock = registry.obtain(this.key);
		if (this.waitMillis < 0) {
			lock.lockInterruptibly();
		}
		else if (!((this.waitMillis == 0) ? lock.tryLock() : lock.tryLock(this.waitMillis, TimeUnit.MILLISECONDS))) {
			return null;
		}
		try {
			// Sends nothing, and provides what the view hides.
			return new Stay(registry.acquire(LockRequest.of(this.key).waitTime(Duration.ZERO)), lock);
		}
		catch (RuntimeException ex) {
			lock.unlock();
			throw ex;
		}
	}

	private static @Nullable Stay async(CompletableFuture<HeldLock> future)
			throws InterruptedException, ExecutionException {
		try {
			return new Stay(future.get(3, TimeUnit.SECONDS), null);
		}
		catch (TimeoutException | InterruptedException ex) {
			if (!future.cancel(false)) {
				// The lock was granted at the same time: it is held after all.
				try {
					return new Stay(future.join(), null);
				}
				catch (CancellationException | java.util.concurrent.CompletionException failed) {
					return null;
				}
			}
			if (ex instanceof InterruptedException interrupted) {
				throw interrupted;
			}
			throw new CancellationException("The wait was given up");
		}
	}

}
