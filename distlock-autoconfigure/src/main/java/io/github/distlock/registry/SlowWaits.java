package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockHolder;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.engine.KeySnapshot;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs callers that wait for long: threads of this JVM that wait for each other, too. It
 * checks once a second. Thread-safe.
 */
final class SlowWaits {

	private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long SHORTEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final Log logger = LogFactory.getLog(SlowWaits.class);

	private final RegistryRuntime runtime;

	private final HolderMessages messages;

	/** Zero if slow waits are not logged. */
	private final long slowNanos;

	SlowWaits(RegistryRuntime runtime, Duration slowWait, ScheduledExecutorService timers) {
		this.runtime = runtime;
		this.messages = new HolderMessages(runtime);
		this.slowNanos = slowWait.isNegative() ? 0 : slowWait.toNanos();
		if (this.slowNanos > 0) {
			long interval = Math.max(Math.min(this.slowNanos, INTERVAL_NANOS), SHORTEST_INTERVAL_NANOS);
			timers.scheduleWithFixedDelay(this::check, interval, interval, TimeUnit.NANOSECONDS);
		}
	}

	private void check() {
		if (!this.runtime.callers().waiting().isEmpty()) {
			// Not on the thread of the timer: a log may block.
			this.runtime.keys()
				.tasks()
				.execute(() -> this.runtime.callers().longestWaitingFirst().forEach(this::reportIfSlow));
		}
	}

	private void reportIfSlow(Caller caller) {
		long waited = this.runtime.nanoTime() - caller.waitingSinceNanos();
		if (waited < this.slowNanos || !caller.markSlow()) {
			return;
		}
		String key = caller.request().key();
		// What this JVM knows without asking the store.
		List<KeySnapshot> keys = this.runtime.keys()
			.snapshot()
			.stream()
			.filter((each) -> each.key().equals(key))
			.toList();
		StoredHolder stored = keys.stream()
			.map(KeySnapshot::blockedBy)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		LockHolder holder = (stored != null) ? this.messages.holder(key, stored) : null;
		long unanswered = keys.stream().mapToLong(KeySnapshot::unansweredNanos).max().orElse(0);
		logger.warn("Slow wait: " + caller.describe() + " has waited "
				+ Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(waited)) + " for lock '" + key + "' ("
				+ caller.request().label() + "); " + this.messages.describe(holder)
				+ ((unanswered > 0) ? "; the store has not answered since " + this.runtime.wallTime(unanswered) : "")
				+ "; " + this.runtime.callers().waitingByKey().getOrDefault(key, 0) + " of this JVM wait for it");
	}

}
