package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.LockHolder;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.waiting.KeySnapshot;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs callers that wait for long, and threads of this JVM that wait for each other. It
 * checks once a second while any caller waits, and not at all otherwise. Thread-safe.
 */
final class SlowWaits {

	private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final Log logger = LogFactory.getLog(SlowWaits.class);

	private final RegistryRuntime runtime;

	private final HolderMessages messages;

	/** Zero if slow waits are not logged. */
	private final long slowNanos;

	private final Executor executor;

	private final ScheduledExecutorService timers;

	/** Whether a check is planned or running. */
	private final AtomicBoolean planned = new AtomicBoolean();

	/** Callers that waited in a circle at the last check. Only checks use it. */
	private List<Set<WaitingCaller>> suspected = List.of();

	SlowWaits(RegistryRuntime runtime, Duration slowWait, Executor executor, ScheduledExecutorService timers) {
		this.runtime = runtime;
		this.messages = new HolderMessages(runtime);
		this.slowNanos = slowWait.isNegative() ? 0 : slowWait.toNanos();
		this.executor = executor;
		this.timers = timers;
	}

	/** A caller has begun to wait. */
	void waiting() {
		if (!this.planned.get() && this.planned.compareAndSet(false, true)) {
			plan();
		}
	}

	private void plan() {
		try {
			long interval = (this.slowNanos > 0) ? Math.min(this.slowNanos, INTERVAL_NANOS) : INTERVAL_NANOS;
			// Not on the thread of the timer: the store may be asked.
			this.timers.schedule(this::start, interval, TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			// Shut down, or no memory: the next caller that waits plans a check.
			this.planned.set(false);
		}
	}

	private void start() {
		try {
			this.executor.execute(this::check);
		}
		catch (Throwable ex) {
			this.planned.set(false);
		}
	}

	private void check() {
		try {
			List<WaitingCaller> callers = this.runtime.waitingCallers().longestFirst();
			reportDeadlocks(callers);
			callers.forEach(this::reportIfSlow);
		}
		catch (RuntimeException ex) {
			logger.debug("Waiting callers could not be checked", ex);
		}
		finally {
			this.planned.set(false);
			if (!this.runtime.waitingCallers().isEmpty()) {
				waiting();
			}
		}
	}

	private void reportIfSlow(WaitingCaller caller) {
		long waited = this.runtime.nanoTime() - caller.startNanos();
		if (this.slowNanos == 0 || caller.reportedSlow || waited < this.slowNanos) {
			return;
		}
		caller.reportedSlow = true;
		String key = caller.request().key();
		// What this JVM knows without asking the store.
		List<KeySnapshot> queues = this.runtime.acquirer()
			.snapshot()
			.stream()
			.filter((queue) -> queue.key().equals(key))
			.toList();
		StoredHolder stored = queues.stream()
			.map(KeySnapshot::blockedBy)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		LockHolder holder = (stored != null) ? this.messages.holder(key, stored) : null;
		long unanswered = queues.stream().mapToLong(KeySnapshot::unansweredNanos).max().orElse(0);
		logger.warn("Slow wait: " + describe(caller) + " has waited " + rounded(waited) + " for lock '" + key + "' ("
				+ caller.request().label() + "); " + this.messages.describe(holder)
				+ ((unanswered > 0) ? "; the store has not answered since " + this.runtime.wallTime(unanswered) : "")
				+ "; " + this.runtime.waitingCallers().count(key) + " of this JVM wait for it");
	}

	/**
	 * A circle counts if two checks in a row find it with the same callers: then each of
	 * them has waited all the time, and has released nothing.
	 */
	private void reportDeadlocks(List<WaitingCaller> callers) {
		Map<Thread, WaitingCaller> byThread = new LinkedHashMap<>();
		for (WaitingCaller caller : callers) {
			if (caller.thread() != null) {
				byThread.put(caller.thread(), caller);
			}
		}
		List<Set<WaitingCaller>> found = new ArrayList<>();
		if (byThread.size() > 1) {
			Map<String, Thread> holders = this.runtime.heldLocks().holdingThreads();
			for (WaitingCaller caller : byThread.values()) {
				Set<WaitingCaller> circle = circleOf(caller, byThread, holders);
				if (circle == null || found.contains(circle)) {
					continue;
				}
				found.add(circle);
				if (this.suspected.contains(circle) && !caller.reportedDeadlock) {
					circle.forEach((member) -> member.reportedDeadlock = true);
					logger.error(deadlock(List.copyOf(circle)));
				}
			}
		}
		this.suspected = found;
	}

	/** Return the callers that wait for each other, from the given one back to it. */
	private static @Nullable Set<WaitingCaller> circleOf(WaitingCaller start, Map<Thread, WaitingCaller> byThread,
			Map<String, Thread> holders) {
		Set<WaitingCaller> circle = new LinkedHashSet<>();
		WaitingCaller current = start;
		while (current != null && circle.add(current)) {
			Thread holder = holders.get(current.request().key());
			current = (holder != null) ? byThread.get(holder) : null;
		}
		return (current == start && circle.size() > 1) ? circle : null;
	}

	private static String deadlock(List<WaitingCaller> circle) {
		StringBuilder text = new StringBuilder("Deadlock: ");
		for (int i = 0; i < circle.size(); i++) {
			WaitingCaller caller = circle.get(i);
			WaitingCaller holder = circle.get((i + 1) % circle.size());
			text.append(describe(caller))
				.append(" waits for lock '")
				.append(caller.request().key())
				.append("', which ")
				.append(describe(holder))
				.append(" holds; ");
		}
		return text + "they go on when a wait time ends. Acquire the locks in the same order everywhere, or all of them"
				+ " with one annotation";
	}

	private static String describe(WaitingCaller caller) {
		return (caller.thread() != null) ? "thread '" + caller.name() + "'" : "an asynchronous caller";
	}

	private static Duration rounded(long nanos) {
		return Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(nanos));
	}

}
