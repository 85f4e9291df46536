package io.github.distlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The lock under which the current code runs.
 */
public final class LockContext {

	/**
	 * The key under which the locks travel in a Reactor context, and the name of the
	 * accessor that Micrometer's context propagation knows them by. The value is a
	 * {@code List<HeldLock>}, the innermost first.
	 */
	public static final String CONTEXT_KEY = "distlock.locks";

	/** Immutable, the innermost first, never empty: an empty one is removed. */
	private static final ThreadLocal<@Nullable List<HeldLock>> LOCKS = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the innermost lock that an annotated method, or
	 * {@link LockRegistry#execute}, holds on this thread.
	 * @return the lock, or nothing outside of such a method
	 */
	public static Optional<HeldLock> current() {
		List<HeldLock> locks = LOCKS.get();
		return (locks != null) ? Optional.of(locks.get(0)) : Optional.empty();
	}

	/**
	 * Return all locks that annotated methods, or {@link LockRegistry#execute}, hold on
	 * this thread.
	 * @return the locks, the innermost first; unmodifiable
	 */
	public static List<HeldLock> all() {
		List<HeldLock> locks = LOCKS.get();
		return (locks != null) ? locks : List.of();
	}

	/**
	 * Make a lock the current one until the returned scope is closed, on the same thread
	 * and in reverse order of opening. For those who run code under a lock; closing the
	 * scope does not release the lock.
	 * @param lock the lock under which code is about to run
	 * @return the scope
	 */
	public static Scope open(HeldLock lock) {
		List<HeldLock> outer = LOCKS.get();
		return replace(outer, (outer != null) ? with(lock, outer) : List.of(lock));
	}

	/**
	 * Make these locks, and no others, the current ones until the returned scope is
	 * closed, on the same thread and in reverse order of opening. For those who carry the
	 * context of one thread to another.
	 * @param locks what {@link #all()} returned where the locks were taken
	 * @return the scope
	 */
	public static Scope openAll(List<HeldLock> locks) {
		return replace(LOCKS.get(), List.copyOf(locks));
	}

	private static List<HeldLock> with(HeldLock innermost, List<HeldLock> outer) {
		List<HeldLock> locks = new ArrayList<>(outer.size() + 1);
		locks.add(innermost);
		locks.addAll(outer);
		return List.copyOf(locks);
	}

	private static Scope replace(@Nullable List<HeldLock> before, List<HeldLock> locks) {
		set(locks);
		return () -> set((before != null) ? before : List.of());
	}

	private static void set(List<HeldLock> locks) {
		if (locks.isEmpty()) {
			LOCKS.remove();
		}
		else {
			LOCKS.set(locks);
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
