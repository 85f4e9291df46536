package io.github.distlock;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Asserts that the current code runs under a lock. Sends no command and is cheap.
 * <p>
 * The assertions see the locks of {@link LockContext}: those of annotated methods, those
 * of {@link LockRegistry#execute}, and those that were opened there by hand. A lock that
 * {@link LockRegistry#acquire} returned is visible only if it was opened there.
 * <p>
 * If locks are switched off ({@code distlock.enabled} is false), all assertions pass
 * inside annotated methods.
 */
public final class LockAssert {

	/** Number of suspensions that are open on this thread. */
	private static final ThreadLocal<@Nullable Boolean> SUSPENDED = new ThreadLocal<>();

	private LockAssert() {
	}

	/**
	 * Assert that this thread holds at least one lock.
	 * @throws IllegalStateException if it holds none, or if the lock was already
	 * released. This is an error in the program; it is not a {@link LockException}, so
	 * that no caller mistakes it for contention
	 * @throws LockLostException if a lock was lost
	 */
	public static void assertLocked() {
		require(LockContext.all(), "a lock");
	}

	/**
	 * Assert that this thread holds the lock of a key.
	 * @param key the evaluated key
	 * @throws IllegalStateException if it does not hold the lock, or if the lock was
	 * already released. This is an error in the program; it is not a
	 * {@link LockException}, so that no caller mistakes it for contention
	 * @throws LockLostException if the lock was lost
	 */
	public static void assertLocked(String key) {
		require(LockContext.all().stream().filter((lock) -> lock.key().equals(key)).toList(), "the lock '" + key + "'");
	}

	/**
	 * Let all assertions of this thread pass until the returned scope is closed, for code
	 * that runs without a lock on purpose: calls of annotated methods while locks are
	 * switched off, and tests in which locks do not matter. A test in which they matter
	 * opens a lock with {@link LockContext#open} instead.
	 * @return the scope, which must be closed on the same thread
	 */
	public static LockContext.Scope suspend() {
		Boolean before = SUSPENDED.get();
		SUSPENDED.set(true);
		return () -> SUSPENDED.set(before);
	}

	private static void require(List<HeldLock> locks, String wanted) {
		if (SUSPENDED.get() != null || locks.stream().anyMatch(HeldLock::isHeld)) {
			return;
		}
		String problem = "This code must run under " + wanted + ", but ";
		if (locks.stream().anyMatch((lock) -> !lock.isReleased())) {
			throw new LockLostException(problem + "the lock was lost: " + keys(locks)
					+ ". Another holder may run this code at the same time: undo the work");
		}
		throw new IllegalStateException(problem + (!locks.isEmpty()
				? "the lock was released before: " + keys(locks)
						+ ". The code runs after the method that held the lock has returned. Wait for the work in that "
						+ "method, or annotate the method that does the work with @DistributedLock"
				: "this thread holds " + keys(LockContext.all())
						+ ". Annotate the method that leads here with @DistributedLock, and call it from another bean: a "
						+ "call inside the same object does not pass through the proxy. In a test without Spring, open a "
						+ "lock with LockContext.open, or let assertions pass with LockAssert.suspend"));
	}

	private static List<String> keys(List<HeldLock> locks) {
		return locks.stream().map(HeldLock::key).toList();
	}

}
