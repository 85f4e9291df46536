package io.github.distlock;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.MDC;

/**
 * Puts the key and the name of the innermost lock of the {@link LockContext} into the MDC
 * of SLF4J, so that log lines which are written under a lock can show them. Switched on
 * by {@code distlock.logging.mdc}; application code only uses the names. Values that the
 * application sets under these names are not kept.
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

	private LockMdc() {
	}

	/**
	 * Switch the entries on. Requires slf4j-api.
	 */
	public static void enable() {
		USERS.incrementAndGet();
	}

	/**
	 * Undo one {@link #enable()}. Scopes that are open still show the outer lock at their
	 * end.
	 */
	public static void disable() {
		USERS.decrementAndGet();
	}

	static boolean isEnabled() {
		return USERS.get() > 0;
	}

	/**
	 * Show the innermost of some locks, in place of what was shown before.
	 * @param locks innermost lock first; none removes the entries
	 */
	static void show(List<HeldLock> locks) {
		if (locks.isEmpty()) {
			MDC.remove(KEY);
			MDC.remove(NAME);
		}
		else {
			MDC.put(KEY, locks.get(0).key());
			MDC.put(NAME, locks.get(0).name());
		}
	}

}
