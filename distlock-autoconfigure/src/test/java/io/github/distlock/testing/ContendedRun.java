package io.github.distlock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Many threads of several registries acquire the same few keys repeatedly while a test
 * makes the store fail. Some wait without limit, some for a minute; some have an explicit
 * lease, some are renewed. Whatever happens to the store, each waiter acquires its lock
 * in the end.
 */
public final class ContendedRun implements AutoCloseable {

	private static final int THREADS_PER_KEY = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final List<HotKey> keys;

	private final long seed;

	private final List<Worker> workers = new ArrayList<>();

	private final Queue<LockBackendException> failures = new ConcurrentLinkedQueue<>();

	private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();

	private final AtomicInteger lost = new AtomicInteger();

	private volatile boolean stopped;

	private ContendedRun(List<HotKey> keys, long seed) {
		this.keys = keys;
		this.seed = seed;
	}

	/** Begin: the threads of each registry contend for each key. */
	public static ContendedRun start(List<BackendLockRegistry> nodes, long seed, String... keys) {
		ContendedRun run = new ContendedRun(Arrays.stream(keys).map(HotKey::new).toList(), seed);
		Random seeds = new Random(seed);
		for (BackendLockRegistry node : nodes) {
			for (HotKey key : run.keys) {
				for (int n = 0; n < THREADS_PER_KEY; n++) {
					run.workers.add(run.new Worker(node, key, n, seeds.nextLong()));
				}
			}
		}
		run.workers.forEach(Thread::start);
		run.awaitProgress();
		return run;
	}

	/** Wait until each thread has acquired some more locks. */
	public void awaitProgress() {
		awaitMore("entries", (worker) -> worker.entries, 3);
	}

	public void awaitFailureOfAllThreads() {
		awaitMore("failures", (worker) -> worker.failed, 1);
	}

	private void awaitMore(String what, Function<Worker, AtomicInteger> count, int more) {
		List<Integer> before = this.workers.stream().map((worker) -> count.apply(worker).get()).toList();
		await().atMost(PATIENCE).untilAsserted(() -> {
			for (int i = 0; i < before.size(); i++) {
				Worker worker = this.workers.get(i);
				assertThat(count.apply(worker).get()).as("%s of %s", what, worker.getName())
					.isGreaterThanOrEqualTo(before.get(i) + more);
			}
		});
	}

	public Queue<LockBackendException> failures() {
		return this.failures;
	}

	public int lost() {
		return this.lost.get();
	}

	public List<String> keys() {
		return this.keys.stream().map(HotKey::name).toList();
	}

	/** Holders of one key that overlapped, and tokens that did not rise. */
	public List<String> violations() {
		return this.keys.stream().flatMap((key) -> key.violations().stream()).toList();
	}

	public long highestToken() {
		return this.keys.stream().mapToLong(HotKey::highest).max().orElseThrow();
	}

	public void finish() {
		this.stopped = true;
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.workers).as(this::toString).noneMatch(Thread::isAlive));
		assertThat(this.surprises).as(this::toString).isEmpty();
	}

	@Override
	public void close() {
		this.stopped = true;
		this.workers.forEach(Thread::interrupt);
	}

	@Override
	public String toString() {
		return "run of seed " + this.seed + ": " + this.workers.stream().mapToInt((w) -> w.entries.get()).sum()
				+ " entries, " + this.lost + " lost, " + this.failures.size() + " failed";
	}

	private final class Worker extends Thread {

		private final BackendLockRegistry node;

		private final HotKey key;

		private final LockRequest request;

		/** Whether it gives up soon. */
		private final boolean hasty;

		private final Random random;

		private final AtomicInteger entries = new AtomicInteger();

		private final AtomicInteger failed = new AtomicInteger();

		Worker(BackendLockRegistry node, HotKey key, int number, long seed) {
			super("contender-" + key.name() + "-" + number);
			setDaemon(true);
			this.node = node;
			this.key = key;
			this.hasty = number == 1;
			this.random = new Random(seed);
			LockRequest patient = LockRequest.of(key.name()).waitTime((number == 0) ? LockRequest.FOREVER : PATIENCE);
			// Only callers with equal leases hand a lock off to each other.
			this.request = (number == 2) ? patient.leaseTime(Duration.ofSeconds(20)) : patient;
		}

		@Override
		public void run() {
			while (!ContendedRun.this.stopped) {
				try {
					if (this.hasty) {
						stayIfQuick();
					}
					stay(this.node.acquire(this.request));
				}
				catch (LockLostException ex) {
					ContendedRun.this.lost.incrementAndGet();
				}
				catch (LockBackendException ex) {
					this.failed.incrementAndGet();
					ContendedRun.this.failures.add(ex);
				}
				catch (RuntimeException | Error ex) {
					ContendedRun.this.surprises.add(ex);
				}
			}
		}

		private void stayIfQuick() {
			Optional<HeldLock> lock;
			try {
				lock = this.node.tryAcquire(this.request.waitTime(Duration.ofMillis(1)));
			}
			catch (LockBackendException ex) {
				// No time was left for another attempt.
				return;
			}
			lock.ifPresent(this::stay);
		}

		private void stay(HeldLock acquired) {
			try (HeldLock lock = acquired) {
				this.key.entered(lock);
				this.entries.incrementAndGet();
				// Rarely long: after a wrong release another thread must find the holder
				// inside.
				long most = (this.random.nextInt(50) == 0) ? 60_000_000 : 1_000_000;
				LockSupport.parkNanos(this, this.random.nextLong(most));
				this.key.leaving(lock);
			}
		}

	}

}
