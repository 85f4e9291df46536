package io.github.distlock.aop;

import java.util.Arrays;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LossCause;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * How the locks of a call are released when the method has ended.
 */
enum LockRelease {

	/** Right away. */
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

	/** By the running transaction, when it has completed. */
	LEAVING {

		@Override
		void afterReturn(List<HeldLock> locks) {
			for (HeldLock lock : locks) {
				if (!lock.isHeld()) {
					LossCause cause = lock.lossCause();
					throw new LockLostException("The lock '" + lock.key() + "' was lost while the method ran"
							+ ((cause != null) ? " (" + cause.description() + ")" : "")
							+ ", so another holder may have run at the same time. Unless the commit guard is "
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
	 * Handle that the method has returned.
	 * @param locks in the order in which they were acquired
	 */
	abstract void afterReturn(List<HeldLock> locks);

	/**
	 * Handle that the method has failed. Must not throw: the caller gets the exception of
	 * the method.
	 * @param locks in the order in which they were acquired
	 * @param failure the exception of the method; problems of the release are added to it
	 */
	abstract void afterFailure(List<HeldLock> locks, Throwable failure);

	/**
	 * Release locks under which nothing was done, because another lock was not acquired.
	 * Throws nothing: the caller gets the reason for the release.
	 * @param locks in the order in which they were acquired
	 */
	static void abandon(List<HeldLock> locks) {
		for (int i = locks.size() - 1; i >= 0; i--) {
			try {
				locks.get(i).abandon();
			}
			catch (RuntimeException ex) {
				logger.debug("The unused lock '" + locks.get(i).key() + "' could not be released", ex);
			}
			catch (Error ex) {
				logger.warn("The unused lock '" + locks.get(i).key() + "' could not be released", ex);
			}
		}
	}

	private static void suppress(HeldLock lock, Throwable problem, Throwable failure) {
		if (problem != failure) {
			failure.addSuppressed(problem);
		}
		// An exception may have suppression disabled.
		if (!Arrays.asList(failure.getSuppressed()).contains(problem)) {
			logger.warn("The release of lock '" + lock.key() + "' failed after the method had failed with " + failure,
					problem);
		}
	}

}
