package io.github.distlock;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The lock under which the current code runs.
 */
public final class LockContext {

	/** Each thread sees only its own stack; an empty one is removed. */
	private static final ThreadLocal<@Nullable Deque<HeldLock>> STACK = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the innermost lock that an annotated method, or
	 * {@link LockRegistry#execute}, holds on this thread.
	 * @return the lock, or nothing outside of such a method
	 */
	public static Optional<HeldLock> current() {
		Deque<HeldLock> stack = STACK.get();
		return (stack != null) ? Optional.ofNullable(stack.peek()) : Optional.empty();
	}

	/**
	 * Return all locks that annotated methods, or {@link LockRegistry#execute}, hold on
	 * this thread.
	 * @return the locks, the innermost first
	 */
	public static List<HeldLock> all() {
		Deque<HeldLock> stack = STACK.get();
		return (stack != null) ? List.copyOf(stack) : List.of();
	}

	/**
	 * Make a lock the current one until the returned scope is closed, on the same thread
	 * and in reverse order of opening. For those who run code under a lock; closing the
	 * scope does not release the lock.
	 * @param lock the lock under which code is about to run
	 * @return the scope
	 */
	public static Scope open(HeldLock lock) {
		Deque<HeldLock> stack = STACK.get();
		if (stack == null) {
			stack = new ArrayDeque<>(2);
			STACK.set(stack);
		}
		stack.push(lock);
		return LockContext::pop;
	}

	private static void pop() {
		Deque<HeldLock> stack = STACK.get();
		if (stack != null) {
			stack.poll();
			if (stack.isEmpty()) {
				STACK.remove();
			}
		}
	}

	/**
	 * The time during which a lock is the current one.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		/**
		 * End it. Throws nothing.
		 */
		@Override
		void close();

	}

}
