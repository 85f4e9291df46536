package io.github.distlock;

import java.util.List;
import java.util.function.Predicate;

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
	 * @throws IllegalStateException if it holds none, or if the lock was released before:
	 * an error in the program. It is no {@link LockException}, so that no caller takes it
	 * for contention
	 * @throws LockLostException if a lock was lost
	 */
	public static void assertLocked() {
		require(LockContext.all(), "a lock", "@DistributedLock");
	}

	/**
	 * Require that this thread holds the lock of a key.
	 * @param key the key, as it was evaluated
	 * @throws IllegalStateException if it does not, or if the lock was released before:
	 * an error in the program. It is no {@link LockException}, so that no caller takes it
	 * for contention
	 * @throws LockLostException if the lock was lost
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
		List<String> lost = keys(locks, (lock) -> !lock.isReleased());
		if (!lost.isEmpty()) {
			throw new LockLostException("This code must run under " + wanted + ", but the lock was lost: " + lost
					+ ". Another holder may run this code at the same time: undo the work");
		}
		if (!locks.isEmpty()) {
			throw new IllegalStateException("This code must run under " + wanted
					+ ", but the lock was released before: " + keys(locks, HeldLock::isReleased)
					+ ". The code has outlived the method that held the lock. Wait "
					+ "for the work in that method, or annotate the method that does the work with " + annotation);
		}
		throw new IllegalStateException("This code must run under " + wanted + ", but this thread holds "
				+ keys(LockContext.all(), (lock) -> true) + ". Annotate the method that leads here with " + annotation
				+ ", and call it from another bean: a call inside one object passes no proxy. In a test without Spring, "
				+ "open a lock with LockContext.open, or let assertions pass with LockAssert.suspend");
	}

	private static List<String> keys(List<HeldLock> locks, Predicate<HeldLock> filter) {
		return locks.stream().filter(filter).map(HeldLock::key).toList();
	}

}
