package io.github.distlock.sample.strategies;

/**
 * A lock that remains when its holder crashes, until it is cleared by hand.
 */
interface ClearedByHand {

	/**
	 * Clear the lock, whether its holder crashed or still holds it.
	 * @param sku the article
	 */
	void clear(String sku);

}
