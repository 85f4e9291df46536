package io.github.distlock.torture.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import io.github.distlock.LockListener;
import io.github.distlock.torture.history.HistoryWriter;
import io.github.distlock.torture.history.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Code of an application that blocks the threads it is called on, at random moments and
 * for random times: threads of the application's own driver, and callback threads and
 * listeners of the library. Each block is recorded.
 */
final class Blocker implements LockListener {

	private static final Duration MEAN_PAUSE = Duration.ofMillis(100);

	/** Shares of a lease. */
	private static final double[] BLOCKS = { 0.3, 1, 3 };

	private static final double LONG_SHARE = 0.05;

	private static final Duration LONG_BLOCK = Duration.ofSeconds(5);

	private static final Duration STOP_CHECK = Duration.ofMillis(50);

	/** The share of events whose listener blocks. */
	private static final double LISTENER_SHARE = 0.2;

	/** How many blocks of each kind are planned or last at the same time. */
	private static final int MOST_BLOCKS = 4;

	private final Duration lease;

	private final HistoryWriter history;

	/** Whether a listener that is called on a thread delays that caller by design. */
	private final Predicate<Thread> isCaller;

	private final Random random;

	private final Map<String, Semaphore> free = new ConcurrentHashMap<>();

	private volatile @Nullable Thread planner;

	private volatile boolean stopping;

	Blocker(WorkerSettings settings, HistoryWriter history, Predicate<Thread> isCaller) {
		this.lease = Duration.ofMillis(settings.load().leaseMillis());
		this.history = history;
		this.isCaller = isCaller;
		this.random = new Random(settings.seed() * 37);
	}

	/**
	 * Begin to block.
	 * @param blocked executors that run a task on a thread to block, now or later
	 */
	void start(Map<String, Executor> blocked) {
		Thread thread = new Thread(() -> plan(List.copyOf(new TreeMap<>(blocked).entrySet())), "blocker");
		thread.setDaemon(true);
		this.planner = thread;
		thread.start();
	}

	/** End all blocks. */
	void stop() {
		this.stopping = true;
	}

	private void plan(List<Map.Entry<String, Executor>> places) {
		while (!this.stopping) {
			LockSupport.parkNanos((long) (2 * MEAN_PAUSE.toNanos() * this.random.nextDouble()));
			Map.Entry<String, Executor> place = places.get(this.random.nextInt(places.size()));
			String what = place.getKey();
			if (free(what).tryAcquire()) {
				try {
					place.getValue().execute(() -> {
						block(what);
						free(what).release();
					});
				}
				catch (RuntimeException ex) {
					// The store cannot be reached.
					free(what).release();
				}
			}
		}
	}

	private Semaphore free(String what) {
		return this.free.computeIfAbsent(what, (absent) -> new Semaphore(MOST_BLOCKS));
	}

	private void block(String what) {
		Thread thread = Thread.currentThread();
		if (thread == this.planner || this.isCaller.test(thread)) {
			return;
		}
		Duration time = (this.random.nextDouble() < LONG_SHARE) ? LONG_BLOCK
				: Duration.ofMillis((long) (this.lease.toMillis() * BLOCKS[this.random.nextInt(BLOCKS.length)]));
		this.history.write(Kind.BLOCKED, "what", what, "millis", time.toMillis(), "thread", thread.getName());
		long end = System.nanoTime() + time.toNanos();
		for (long left; !this.stopping && (left = end - System.nanoTime()) > 0;) {
			LockSupport.parkNanos(Math.min(left, STOP_CHECK.toNanos()));
		}
	}

	private void listen(String what) {
		if (!this.stopping && this.random.nextDouble() < LISTENER_SHARE && free(what).tryAcquire()) {
			block(what);
			free(what).release();
		}
	}

	/**
	 * A listener delays the future of the caller that the event is about, which may have
	 * the lock already. The callers of the history expect no such delay.
	 */
	private void listen(String what, @Nullable String key) {
		if (key != null && AsideLocks.isAside(key)) {
			listen(what);
		}
	}

	@Override
	public void onWaiting(Waiting event) {
		listen("onWaiting", event.key());
	}

	@Override
	public void onWaitingEnded(Waiting event) {
		listen("onWaitingEnded", event.key());
	}

	@Override
	public void onAttempted(Attempted event) {
		listen("onAttempted", event.key());
	}

	@Override
	public void onReleased(Released event) {
		listen("onReleased");
	}

	@Override
	public void onLost(Lost event) {
		listen("onLost");
	}

	@Override
	public void onRenewed(Renewed event) {
		listen("onRenewed");
	}

	@Override
	public void onResubscribed(Resubscribed event) {
		listen("onResubscribed");
	}

}
