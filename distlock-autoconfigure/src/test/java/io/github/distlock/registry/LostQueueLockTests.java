package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The internal lock of one key is never returned, as after a stack overflow inside its
 * {@code unlock()}. Only the keys that share it are affected.
 */
@Timeout(120)
class LostQueueLockTests extends TwoRegistries {

	private static final Duration LEASE = Duration.ofSeconds(12);

	private final Thread test = Thread.currentThread();

	private Lock last = new ReentrantLock();

	private final CountDownLatch end = new CountDownLatch(1);

	private BackendLockRegistry start() {
		BackendLockRegistry node = new BackendLockRegistry(redis.backend(RedisNodes.settings(LEASE), TimeSource.SYSTEM),
				RedisNodes.settings(LEASE), () -> List.of(this.events), CheckedEnvironment.withLocks(NotedLock::new),
				LockObservers.NONE);
		node.start();
		return node;
	}

	/** Let a thread take the internal lock of a key, for good. */
	private void lose(Lock internal) throws InterruptedException {
		CountDownLatch taken = new CountDownLatch(1);
		this.threads.execute(() -> {
			internal.lock();
			taken.countDown();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				// The test has ended.
			}
		});
		taken.await();
	}

	/** Return a key whose internal lock is another one. */
	private String otherKey(BackendLockRegistry node, Lock internal) {
		return IntStream.range(0, 100).mapToObj((i) -> "other-" + i).filter((key) -> {
			node.acquire(request(key)).close();
			return this.last != internal;
		}).findFirst().orElseThrow();
	}

	@Test
	void otherLocksStayHeldAndAreGrantedAndTheShutdownEnds() throws Exception {
		BackendLockRegistry node = start();
		HeldLock lost = node.acquire(request("key"));
		Lock internal = this.last;
		String other = otherKey(node, internal);
		HeldLock held = node.acquire(request(other));
		lose(internal);
		// Messages and time-outs for the key that cannot be used.
		this.two.acquireAsync(LockRequest.of("key").waitTime(Duration.ofMillis(50)));
		redis.killClients("normal");
		int before = this.events.renewed.get();
		// For longer than a lease.
		await().atMost(Duration.ofMinutes(1)).until(() -> this.events.renewed.get() > before + 3);
		assertThat(held.isHeld()).isTrue();
		held.close();
		CompletableFuture<HeldLock> queued = this.two.acquireAsync(request(other));
		queued.get().close();
		node.acquireAsync(request(other)).get().close();
		assertThat(this.events.lost).doesNotContain(other);
		node.shutdown();
		assertThat(lost.key()).isEqualTo("key");
	}

	@Test
	void aCallForTheKeyFailsWithAMessageThatNamesIt() throws Exception {
		BackendLockRegistry node = start();
		node.acquire(request("key")).close();
		lose(this.last);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.acquire(request("key")))
			.withMessageContaining("Lock 'key' cannot be used in this JVM")
			.withMessageContaining("restart the application");
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> node.acquireAsync(request("key")).get())
			.withCauseInstanceOf(LockBackendException.class);
		this.two.acquire(request("key")).close();
		node.shutdown();
	}

	@Test
	void aCallerThatWaitsFailsWhenItsWaitTimeHasPassed() throws Exception {
		BackendLockRegistry node = start();
		node.acquire(request("key")).close();
		Lock internal = this.last;
		HeldLock elsewhere = this.two.acquire(request("key"));
		Future<HeldLock> waiting = this.threads
			.submit(() -> node.acquire(LockRequest.of("key").waitTime(Duration.ofSeconds(10))));
		await().until(() -> redis.queueLength("key") == 1);
		lose(internal);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(waiting::get)
			.withCauseInstanceOf(LockBackendException.class)
			.withMessageContaining("Lock 'key' cannot be used in this JVM");
		elsewhere.close();
		node.shutdown();
	}

	/** Tells which internal lock the test has taken last. */
	private final class NotedLock extends ReentrantLock {

		@Override
		public boolean tryLock() {
			note();
			return super.tryLock();
		}

		@Override
		public void lock() {
			note();
			super.lock();
		}

		private void note() {
			if (Thread.currentThread() == LostQueueLockTests.this.test) {
				LostQueueLockTests.this.last = this;
			}
		}

	}

}
