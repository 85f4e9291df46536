package io.github.distlock.transaction;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Closes a lock when a transaction has completed, however it ended, after the other
 * synchronizations. No record: equal synchronizations would be one, but each level of a
 * re-entry is given back.
 */
final class HeldLockRelease implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(HeldLockRelease.class);

	private final HeldLock lock;

	HeldLockRelease(HeldLock lock) {
		this.lock = lock;
	}

	HeldLock lock() {
		return this.lock;
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void afterCompletion(int status) {
		try {
			this.lock.close();
		}
		catch (LockException | IllegalMonitorStateException ex) {
			warn(this.lock.key(), status, ex);
		}
	}

	static void warn(String key, int status, Throwable problem) {
		String end = switch (status) {
			case STATUS_COMMITTED -> "committed";
			case STATUS_ROLLED_BACK -> "was rolled back";
			default -> "ended";
		};
		logger.warn("The lock '" + key + "' was kept for a transaction, which " + end
				+ ", but could not be released afterwards", problem);
	}

}
