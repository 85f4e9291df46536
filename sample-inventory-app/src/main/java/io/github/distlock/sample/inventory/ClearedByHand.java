package io.github.distlock.sample.inventory;

/**
 * A lock that remains when its holder crashes, until it is cleared by hand.
 */
public interface ClearedByHand {

	/**
	 * Clear the lock, whether its holder crashed or still holds it.
	 * @param sku the article
	 */
	void clear(String sku);

}
