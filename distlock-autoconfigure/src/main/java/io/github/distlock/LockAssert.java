package io.github.distlock;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * For code that must not run without its lock: says so when it does, on the thread that
 * runs it. Knows the locks of {@link LockContext}, which are those of annotated methods
 * and of {@link LockRegistry#execute}, and what was opened there by hand; a lock that
 * {@link LockRegistry#acquire} gave is among them only if it was opened there.
 * <p>
 * Sends nothing and is cheap. Where locks are switched off ({@code distlock.enabled} is
 * false) annotated methods let all assertions pass.
 */
public final class LockAssert {

	/** How often this thread has suspended assertions. */
	private static final ThreadLocal<@Nullable Integer> SUSPENDED = new ThreadLocal<>();

	private LockAssert() {
	}

	/**
	 * Require that this thread holds a lock, whichever.
	 * @throws IllegalStateException if it holds none: an error in the program, for which
	 * no {@link LockException} stands, so that nobody takes it for contention
	 * @throws LockLostException if it has lost all that it had
	 */
	public static void assertLocked() {
		require(LockContext.all(), "a lock", "@DistributedLock");
	}

	/**
	 * Require that this thread holds the lock of a key.
	 * @param key the key, as it was evaluated
	 * @throws IllegalStateException if it does not: an error in the program, for which no
	 * {@link LockException} stands, so that nobody takes it for contention
	 * @throws LockLostException if it has lost it
	 */
	public static void assertLocked(String key) {
		require(LockContext.all().stream().filter((lock) -> lock.key().equals(key)).toList(), "the lock '" + key + "'",
				"@DistributedLock(key = ...) with an expression that gives '" + key + "'");
	}

	/**
	 * Let all assertions of this thread pass until the scope is closed: code runs without
	 * a lock by intention. For calls of annotated methods while locks are switched off,
	 * and for tests to which locks do not matter; a test to which they do opens a lock of
	 * its own with {@link LockContext#open}.
	 * @return the scope, to be closed on the same thread
	 */
	public static LockContext.Scope suspend() {
		Integer before = SUSPENDED.get();
		SUSPENDED.set((before != null) ? before + 1 : 1);
		return () -> {
			Integer now = SUSPENDED.get();
			if (now == null || now <= 1) {
				SUSPENDED.remove();
			}
			else {
				SUSPENDED.set(now - 1);
			}
		};
	}

	private static void require(List<HeldLock> locks, String wanted, String annotation) {
		if (SUSPENDED.get() != null || locks.stream().anyMatch(HeldLock::isHeld)) {
			return;
		}
		if (!locks.isEmpty()) {
			throw new LockLostException("This code must run under " + wanted + ", and has lost it: "
					+ locks.stream().map(HeldLock::key).toList() + ". Somebody else may run it now: undo the work");
		}
		throw new IllegalStateException("This code must run under " + wanted + ", but this thread holds "
				+ LockContext.all().stream().map(HeldLock::key).toList() + ". Annotate the method that leads here with "
				+ annotation
				+ ", and call it from another bean: a call inside one object passes no proxy. In a test without Spring, "
				+ "open a lock with LockContext.open, or let assertions pass with LockAssert.suspend");
	}

}
