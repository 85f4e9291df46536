package io.github.distlock.transaction.applications;

import io.github.distlock.DistributedLock;

/**
 * Sells books: reads the stock and writes what is left.
 */
interface Till {

	/** Under a lock that is renewed. */
	@DistributedLock(key = "'book'", waitTime = "20s")
	void sell(Sale sale);

	/** Under a lock that ends soon. */
	@DistributedLock(key = "'book'", waitTime = "20s", leaseTime = "700ms")
	void sellBriefly(Sale sale);

}
