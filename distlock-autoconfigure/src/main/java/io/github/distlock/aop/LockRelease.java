package io.github.distlock.aop;

import java.util.Arrays;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LossCause;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What becomes of the locks when the method has ended.
 */
enum LockRelease {

	/** They are closed. */
	CLOSING {

		@Override
		void afterReturn(List<HeldLock> locks) {
			// An Error of one lock must not leave the others held.
			Throwable problem = null;
			for (int i = locks.size() - 1; i >= 0; i--) {
				HeldLock lock = locks.get(i);
				try {
					lock.close();
				}
				catch (RuntimeException | Error ex) {
					if (problem == null) {
						problem = ex;
					}
					else {
						suppress(lock, ex, problem);
					}
				}
			}
			if (problem instanceof Error error) {
				throw error;
			}
			if (problem != null) {
				throw (RuntimeException) problem;
			}
		}

		@Override
		void afterFailure(List<HeldLock> locks, Throwable failure) {
			for (int i = locks.size() - 1; i >= 0; i--) {
				HeldLock lock = locks.get(i);
				try {
					lock.close();
				}
				catch (Throwable problem) {
					suppress(lock, problem, failure);
				}
			}
		}

	},

	/** The running transaction closes them when it has completed. */
	LEAVING {

		@Override
		void afterReturn(List<HeldLock> locks) {
			for (HeldLock lock : locks) {
				if (!lock.isHeld()) {
					LossCause cause = lock.lossCause();
					throw new LockLostException("The lock '" + lock.key() + "' was lost while the method ran"
							+ ((cause != null) ? " (" + cause.description() + ")" : "")
							+ ", so that another holder may have run at the same time. Unless the commit guard is "
							+ "switched off, the transaction around it will not commit"
							+ ((cause != null) ? ". " + cause.remedy() : ""), cause, null);
				}
			}
		}

		@Override
		void afterFailure(List<HeldLock> locks, Throwable failure) {
		}

	};

	private static final Log logger = LogFactory.getLog(LockRelease.class);

	/**
	 * The method has returned.
	 * @param locks in the order in which they were taken
	 */
	abstract void afterReturn(List<HeldLock> locks);

	/**
	 * The method has failed. Must not throw: what it threw goes on to the caller.
	 * @param locks in the order in which they were taken
	 */
	abstract void afterFailure(List<HeldLock> locks, Throwable failure);

	private static void suppress(HeldLock lock, Throwable problem, Throwable failure) {
		if (problem != failure) {
			failure.addSuppressed(problem);
		}
		// An exception may have been made without room for suppressed ones.
		if (!Arrays.asList(failure.getSuppressed()).contains(problem)) {
			logger.warn("The release of lock '" + lock.key() + "' failed after the method had failed with " + failure,
					problem);
		}
	}

}
