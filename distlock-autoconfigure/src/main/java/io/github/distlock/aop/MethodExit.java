package io.github.distlock.aop;

import java.util.Arrays;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What becomes of the lock when the method has ended.
 */
enum MethodExit {

	/** It is closed. */
	CLOSING {

		@Override
		void afterReturn(HeldLock lock) {
			lock.close();
		}

		@Override
		void afterFailure(HeldLock lock, Throwable failure) {
			try {
				lock.close();
			}
			catch (Throwable problem) {
				suppress(lock, problem, failure);
			}
		}

	},

	/** The running transaction closes it when it has completed. */
	LEAVING {

		@Override
		void afterReturn(HeldLock lock) {
			if (!lock.isHeld()) {
				throw new LockLostException("The lock '" + lock.key()
						+ "' was lost while the method ran, so that another holder may have run at the same time. "
						+ "The transaction around it will not commit. Give the lock a longer leaseTime, or none");
			}
		}

		@Override
		void afterFailure(HeldLock lock, Throwable failure) {
		}

	};

	private static final Log logger = LogFactory.getLog(LockInterceptor.class);

	abstract void afterReturn(HeldLock lock);

	/**
	 * Must not throw: what the method threw goes on to the caller.
	 */
	abstract void afterFailure(HeldLock lock, Throwable failure);

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
