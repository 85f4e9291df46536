package io.github.distlock.registry;

import io.github.distlock.LockRequest;
import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * One caller that waits for a lock. Compared by identity.
 */
final class WaitingCaller {

	private final LockRequest request;

	/** The thread that waits; {@code null} if a future waits. */
	private final @Nullable Thread thread;

	private final String name;

	private final long startNanos;

	/** Whether the slow wait was logged. Only the check of slow waits uses it. */
	volatile boolean reportedSlow;

	WaitingCaller(LockRequest request, @Nullable Thread thread, long startNanos) {
		this.request = request;
		this.thread = thread;
		this.name = (thread != null) ? LockThreads.describe(thread) : "asynchronous";
		this.startNanos = startNanos;
	}

	LockRequest request() {
		return this.request;
	}

	@Nullable Thread thread() {
		return this.thread;
	}

	/** The name or the id of the thread at the beginning of the wait. */
	String name() {
		return this.name;
	}

	long startNanos() {
		return this.startNanos;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	/** The same in each run of a simulation: callers are iterated in sets. */
	@Override
	public int hashCode() {
		return Long.hashCode(this.startNanos);
	}

}
