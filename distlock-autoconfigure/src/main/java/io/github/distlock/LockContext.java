package io.github.distlock;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Gives access to the locks under which the current code runs. Each thread has a context
 * of its own.
 */
public final class LockContext {

	/**
	 * Key of the locks in a Reactor context, and name of the accessor for Micrometer's
	 * context propagation. The value is a {@code List<HeldLock>}, innermost lock first.
	 */
	public static final String CONTEXT_KEY = "distlock.locks";

	/** Immutable, innermost lock first, never empty: an empty list is removed. */
	private static final ThreadLocal<@Nullable List<HeldLock>> LOCKS = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the innermost lock that an annotated method, or
	 * {@link LockRegistry#execute}, holds on this thread.
	 * @return the lock, or nothing outside of such a method
	 */
	public static Optional<HeldLock> current() {
		return all().stream().findFirst();
	}

	/**
	 * Return all locks that annotated methods, or {@link LockRegistry#execute}, hold on
	 * this thread.
	 * @return an unmodifiable list, innermost lock first
	 */
	public static List<HeldLock> all() {
		return Objects.requireNonNullElse(LOCKS.get(), List.of());
	}

	/**
	 * Make a lock the current one until the returned scope is closed. For code that runs
	 * other code under a lock. Closing the scope does not release the lock. Scopes are
	 * closed on the thread that opened them, in reverse order.
	 * @param lock the lock under which code is about to run
	 * @return the scope
	 */
	public static Scope open(HeldLock lock) {
		List<HeldLock> outer = all();
		return replace(outer,
				outer.isEmpty() ? List.of(lock) : Stream.concat(Stream.of(lock), outer.stream()).toList());
	}

	/**
	 * Replace the current locks by the given ones until the returned scope is closed. For
	 * code that propagates the context of one thread to another. Scopes are closed on the
	 * thread that opened them, in reverse order.
	 * @param locks what {@link #all()} returned on the original thread
	 * @return the scope
	 */
	public static Scope openAll(List<HeldLock> locks) {
		return replace(all(), List.copyOf(locks));
	}

	private static Scope replace(List<HeldLock> before, List<HeldLock> locks) {
		boolean logged = LockMdc.isEnabled() && !(before.isEmpty() && locks.isEmpty());
		set(locks, logged);
		return () -> set(before, logged);
	}

	private static void set(List<HeldLock> locks, boolean logged) {
		if (locks.isEmpty()) {
			LOCKS.remove();
		}
		else {
			LOCKS.set(locks);
		}
		if (logged) {
			LockMdc.show(locks);
		}
	}

	/**
	 * Period in which a lock is the current one.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		/**
		 * End the period. Never throws an exception.
		 */
		@Override
		void close();

	}

}
