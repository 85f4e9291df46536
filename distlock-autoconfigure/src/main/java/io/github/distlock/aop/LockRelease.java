package io.github.distlock.aop;

import java.util.List;
import java.util.function.Consumer;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LossCause;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Releases the locks of a call, in reverse order. All methods take the locks in the order
 * in which they were acquired.
 */
final class LockRelease {

	private static final Log logger = LogFactory.getLog(LockRelease.class);

	private LockRelease() {
	}

	/**
	 * Release locks. The problem of one lock does not leave the others held.
	 * @param release closes or abandons a lock
	 * @param failure the exception of the method, to which problems of the release are
	 * added, {@code null} if the method has returned
	 * @return the failure or, without one, the first problem, such as
	 * {@link LockLostException}
	 */
	static @Nullable Throwable release(List<HeldLock> locks, Consumer<HeldLock> release, @Nullable Throwable failure) {
		Throwable first = failure;
		for (int i = locks.size() - 1; i >= 0; i--) {
			try {
				release.accept(locks.get(i));
			}
			catch (RuntimeException | Error problem) {
				if (first == null) {
					first = problem;
				}
				else if (first != problem) {
					first.addSuppressed(problem);
				}
			}
		}
		return first;
	}

	/**
	 * Refuse the result of a method whose locks a running transaction keeps, if one of
	 * them was lost.
	 */
	static void checkKept(List<HeldLock> locks) {
		for (HeldLock lock : locks) {
			if (!lock.isHeld()) {
				throw lost(lock, "the method ran",
						"another holder may have run at the same time. Unless the commit guard is switched off, the "
								+ "transaction around it will not commit");
			}
		}
	}

	static LockLostException lost(HeldLock lock, String period, String consequence) {
		LossCause cause = lock.lossCause();
		return new LockLostException("The lock '" + lock.key() + "' was lost while " + period
				+ ((cause != null) ? " (" + cause.description() + ")" : "") + ", so " + consequence
				+ ((cause != null) ? ". " + cause.remedy() : ""), cause, null);
	}

	/**
	 * Release locks under which nothing was done, because another lock was not acquired.
	 * Throws nothing: the caller gets the reason for the release.
	 */
	static void abandon(List<HeldLock> locks) {
		Throwable problem = release(locks, HeldLock::abandon, null);
		if (problem != null) {
			logger.debug("An unused lock could not be released", problem);
		}
	}

}
