package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockHolder;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.engine.KeySnapshot;
import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockTimers;
import org.apache.commons.logging.Log;

/**
 * Logs callers that wait for long: threads of this JVM that wait for each other, too. It
 * checks once a second. Thread-safe.
 */
final class SlowWaits {

	private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long SHORTEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final Log logger = LockLog.of(SlowWaits.class);

	private final RegistryRuntime runtime;

	private final HolderMessages messages;

	/** Zero if slow waits are not logged. */
	private final long slowNanos;

	SlowWaits(RegistryRuntime runtime, Duration slowWait, LockTimers timers) {
		this.runtime = runtime;
		this.messages = new HolderMessages(runtime);
		this.slowNanos = slowWait.isNegative() ? 0 : slowWait.toNanos();
		if (this.slowNanos > 0) {
			long interval = Math.max(Math.min(this.slowNanos, INTERVAL_NANOS), SHORTEST_INTERVAL_NANOS);
			timers.repeat(interval, this::check);
		}
	}

	private void check() {
		if (!this.runtime.callers().waiting().isEmpty()) {
			// Not on the thread of the timer: there may be very many.
			this.runtime.keys().tasks().execute(this::report);
		}
	}

	private void report() {
		List<Caller> slow = this.runtime.callers().longestWaitingFirst().stream().filter(this::becomesSlow).toList();
		if (!slow.isEmpty()) {
			// What this JVM knows without asking the store. Once, since thousands may
			// wait, and this takes the internal locks of all keys.
			Map<String, List<KeySnapshot>> keys = new LinkedHashMap<>();
			this.runtime.keys()
				.snapshot()
				.forEach((each) -> keys.computeIfAbsent(each.key(), (key) -> new ArrayList<>()).add(each));
			Map<String, Integer> waiting = this.runtime.callers().waitingByKey();
			slow.forEach((caller) -> report(caller, keys.getOrDefault(caller.request().key(), List.of()),
					waiting.getOrDefault(caller.request().key(), 0)));
		}
	}

	private boolean becomesSlow(Caller caller) {
		return this.runtime.nanoTime() - caller.waitingSinceNanos() >= this.slowNanos && caller.markSlow();
	}

	private void report(Caller caller, List<KeySnapshot> keys, int waiting) {
		String key = caller.request().key();
		long waited = this.runtime.nanoTime() - caller.waitingSinceNanos();
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
				+ "; " + waiting + " of this JVM wait for it");
	}

}
