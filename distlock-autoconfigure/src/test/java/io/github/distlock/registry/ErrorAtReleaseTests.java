package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * An {@link Error} in the queue of a key, while a lock is released, is thrown to the
 * caller and leaves no holder behind.
 */
class ErrorAtReleaseTests extends TwoRegistries {

	private final FailingQueueClock clock = new FailingQueueClock();

	private void assertUsable(BackendLockRegistry node) {
		this.two.acquire(request("key")).close();
		node.acquire(request("key")).close();
		await().until(() -> node.snapshot().isIdle());
		assertThat(this.events.lost).isEmpty();
	}

	@Test
	void anErrorBeforeTheLeaseEndsLeavesNoHolder() {
		BackendLockRegistry node = redis.node(RedisNodes.settings(Duration.ofSeconds(30)), List.of(this.events),
				this.clock);
		HeldLock lock = node.acquire(request("key"));
		this.clock.failAt("endLease", 1);
		assertThatExceptionOfType(InternalError.class).isThrownBy(lock::close);
		assertUsable(node);
	}

	/** A clock with one reading that fails, in a method of a queue. */
	private static final class FailingQueueClock implements TimeSource {

		private final AtomicInteger readings = new AtomicInteger();

		private volatile String method = "";

		void failAt(String name, int reading) {
			this.readings.set(reading);
			this.method = name;
		}

		@Override
		public long nanoTime() {
			if (this.readings.get() > 0 && isCalledByQueue() && this.readings.decrementAndGet() == 0) {
				throw new InternalError("injected by the clock");
			}
			return SYSTEM.nanoTime();
		}

		private boolean isCalledByQueue() {
			return StackWalker.getInstance()
				.walk((frames) -> frames.anyMatch((frame) -> frame.getClassName().startsWith("io.github.distlock.")
						&& frame.getMethodName().equals(this.method)));
		}

		@Override
		public long wallMillis() {
			return SYSTEM.wallMillis();
		}

	}

}
