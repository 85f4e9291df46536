package io.github.distlock.transaction.applications;

import io.github.distlock.DistributedLock;

/**
 * Sells books: reads the stock and writes the rest.
 */
interface Till {

	/** Sell under a lock that is renewed. */
	@DistributedLock(key = "'book'", waitTime = "20s")
	void sell(Sale sale);

	/** Sell under a lock with a short lease. */
	@DistributedLock(key = "'book'", waitTime = "20s", leaseTime = "700ms")
	void sellBriefly(Sale sale);

}
