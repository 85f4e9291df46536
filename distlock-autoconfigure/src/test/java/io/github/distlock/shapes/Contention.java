package io.github.distlock.shapes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads of several nodes that enter one key repeatedly while servers fail. They wait
 * without limit, so a lost ticket would block its thread until the end.
 */
final class Contention implements AutoCloseable {

	private static final int THREADS = 4;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final FencedResource resource = new FencedResource();

	private final List<Worker> workers = new ArrayList<>();

	private final Queue<LockBackendException> failures = new ConcurrentLinkedQueue<>();

	private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();

	private final AtomicInteger lost = new AtomicInteger();

	private volatile boolean stopped;

	private Contention() {
	}

	static Contention start(String key, List<BackendLockRegistry> nodes) {
		Contention contention = new Contention();
		LockRequest request = LockRequest.of(key).waitTime(LockRequest.FOREVER);
		for (BackendLockRegistry node : nodes) {
			for (int i = 0; i < THREADS; i++) {
				contention.workers.add(contention.new Worker(node, request));
			}
		}
		contention.workers.forEach(Thread::start);
		contention.awaitProgress();
		return contention;
	}

	FencedResource resource() {
		return this.resource;
	}

	Queue<LockBackendException> failures() {
		return this.failures;
	}

	/** Wait until each thread has entered several more times. */
	void awaitProgress() {
		List<Integer> before = this.workers.stream().map((worker) -> worker.entries.get()).toList();
		await().atMost(PATIENCE).untilAsserted(() -> {
			for (int i = 0; i < before.size(); i++) {
				assertThat(this.workers.get(i).entries.get()).as("entries of worker %s, %s", i, this)
					.isGreaterThan(before.get(i) + 2);
			}
		});
	}

	/** Let all threads finish. */
	void finish() {
		this.stopped = true;
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.workers).as(this::toString).noneMatch(Thread::isAlive));
		assertThat(this.surprises).isEmpty();
	}

	@Override
	public void close() {
		this.stopped = true;
		this.workers.forEach(Thread::interrupt);
	}

	@Override
	public String toString() {
		return this.workers.stream().mapToInt((worker) -> worker.entries.get()).sum() + " entries, " + this.lost
				+ " lost, " + this.failures.size() + " failed, " + this.resource.refused() + " writes refused, "
				+ this.resource.overlaps().size() + " overlaps";
	}

	private final class Worker extends Thread {

		private final BackendLockRegistry node;

		private final LockRequest request;

		private final AtomicInteger entries = new AtomicInteger();

		Worker(BackendLockRegistry node, LockRequest request) {
			setDaemon(true);
			this.node = node;
			this.request = request;
		}

		@Override
		public void run() {
			while (!Contention.this.stopped) {
				try (HeldLock lock = this.node.acquire(this.request)) {
					Contention.this.resource.enter(lock);
					this.entries.incrementAndGet();
					LockSupport.parkNanos(this, 1_000_000);
					Contention.this.resource.leave(lock);
				}
				catch (LockLostException ex) {
					Contention.this.lost.incrementAndGet();
				}
				catch (LockBackendException ex) {
					Contention.this.failures.add(ex);
				}
				catch (RuntimeException | Error ex) {
					Contention.this.surprises.add(ex);
				}
			}
		}

	}

}
