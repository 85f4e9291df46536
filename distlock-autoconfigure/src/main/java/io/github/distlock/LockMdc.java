package io.github.distlock;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Puts the key and the name of the innermost lock of the {@link LockContext} into the MDC
 * of SLF4J, so that log lines which are written under a lock can show them. Switched on
 * by {@code distlock.logging.mdc}; application code only uses the names.
 * <p>
 * The MDC belongs to a thread and not to an application context: if a JVM runs several
 * contexts, one of which switches this on, it is on for all of them.
 */
public final class LockMdc {

	/** The entry of the MDC that contains the key of the lock. */
	public static final String KEY = "distlock.key";

	/** The entry of the MDC that contains the name of the lock. */
	public static final String NAME = "distlock.name";

	/** How many application contexts have switched this on. */
	private static final AtomicInteger USERS = new AtomicInteger();

	/**
	 * What a thread had in its MDC before context propagation gave it locks. Not set
	 * without such values.
	 */
	private static final ThreadLocal<@Nullable Values> OWN = new ThreadLocal<>();

	private LockMdc() {
	}

	/**
	 * Switch the entries on. Requires slf4j-api.
	 */
	public static void enable() {
		USERS.incrementAndGet();
	}

	/**
	 * Undo one {@link #enable()}. Open scopes still restore what was there before them.
	 */
	public static void disable() {
		USERS.decrementAndGet();
	}

	static boolean isEnabled() {
		return USERS.get() > 0;
	}

	/**
	 * Show the innermost of some locks until the scope is closed, which restores exactly
	 * what was there before.
	 * @param locks innermost lock first; none removes the entries
	 */
	static LockContext.Scope open(List<HeldLock> locks) {
		Values before = Values.current();
		Values.of(locks).show();
		return before::show;
	}

	/**
	 * Called before context propagation sets the locks of this thread. It does not tell
	 * which of its calls belong together, so the values of the thread itself are kept
	 * while the thread has locks.
	 * @param locks the locks to set
	 */
	public static void beforePropagation(List<HeldLock> locks) {
		if (isEnabled() && LockContext.all().isEmpty()) {
			Values own = Values.current();
			// The application may propagate its MDC as well, with the lock of the caller.
			OWN.set((own.equals(Values.NONE) || own.equals(Values.of(locks))) ? null : own);
		}
	}

	/**
	 * Called after context propagation has removed the locks of this thread.
	 */
	public static void afterPropagation() {
		Values own = OWN.get();
		if (own != null) {
			own.show();
			OWN.remove();
		}
	}

	/** The two entries; {@code null} is an entry that does not exist. */
	private record Values(@Nullable String key, @Nullable String name) {

		private static final Values NONE = new Values(null, null);

		static Values current() {
			return new Values(MDC.get(KEY), MDC.get(NAME));
		}

		static Values of(List<HeldLock> locks) {
			return locks.isEmpty() ? NONE : new Values(locks.get(0).key(), locks.get(0).name());
		}

		void show() {
			show(KEY, this.key);
			show(NAME, this.name);
		}

		private static void show(String entry, @Nullable String value) {
			if (value != null) {
				MDC.put(entry, value);
			}
			else {
				MDC.remove(entry);
			}
		}

	}

}
