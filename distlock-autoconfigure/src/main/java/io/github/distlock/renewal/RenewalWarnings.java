package io.github.distlock.renewal;

import java.time.Duration;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The log lines about renewals that fail. Thread-safe.
 */
final class RenewalWarnings {

	private static final Log logger = LogFactory.getLog(LeaseRenewer.class);

	/** Whether the last batch could not be renewed. */
	private volatile boolean failing;

	/** The latest failure, in words. */
	private volatile String failure = "the store did not answer in time";

	void succeeded() {
		this.failing = false;
	}

	/**
	 * Thousands of leases can fail in many batches: one warning is sufficient. After the
	 * loss of all leases nothing is retried.
	 */
	void failed(Throwable ex, List<Lease> leases) {
		this.failure = String.valueOf(ex.getMessage());
		String message = "Leases could not be renewed and are retried until they expire: " + ex.getMessage();
		if (this.failing || leases.stream().noneMatch(Lease::isValid)) {
			logger.debug(message);
		}
		else {
			this.failing = true;
			logger.warn(message);
		}
	}

	/**
	 * Warn of each lock that is likely to be lost. Its renewals go on, so the lines are
	 * written after the batch has been handled.
	 */
	void atRisk(List<Lease> leases) {
		for (Lease lease : leases) {
			String name = lease.name();
			if (name != null) {
				logger.warn("Lock '" + lease.ticket().key() + "' (" + name + ") is at risk: its lease could not be"
						+ " renewed and ends in " + rounded(Duration.ofNanos(lease.remainingNanos()))
						+ " unless a retry succeeds (" + this.failure + "). Then the lock is lost, and another"
						+ " caller may enter while this one is still working: find out why the store does not"
						+ " answer, or use a longer distlock.lease-time");
			}
		}
	}

	private static Duration rounded(Duration time) {
		return Duration.ofMillis(time.toMillis());
	}

}
