package io.github.distlock.transaction;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Closes a lock when a transaction has completed, with any result, after the other
 * synchronizations. Not a record: equal synchronizations would be registered only once,
 * but each level of a re-entry must be closed.
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
		String result = switch (status) {
			case STATUS_COMMITTED -> "committed";
			case STATUS_ROLLED_BACK -> "was rolled back";
			default -> "ended";
		};
		logger.warn("The lock '" + key + "' was kept for a transaction, which " + result
				+ ", but could not be released afterwards", problem);
	}

}
