package io.github.distlock.renewal;

import java.time.Duration;

/**
 * Is notified of the results of renewals. Called on the threads of the renewer; must not
 * block.
 */
@FunctionalInterface
public interface RenewalListener {

	/**
	 * A batch of renewals was answered or has failed.
	 * @param renewed how many leases were renewed
	 * @param gone how many leases the store no longer knew
	 * @param failed how many renewals failed
	 * @param lateness the time from the planned moment of the batch to its answer
	 */
	void renewed(int renewed, int gone, int failed, Duration lateness);

	/**
	 * The store did not know a lease any more that had ended before the answer: it was
	 * released, or this JVM keeps a lock that the store has forgotten.
	 * @param lease the lease that was to be renewed
	 */
	default void refusedAfterEnd(Lease lease) {
	}

}
