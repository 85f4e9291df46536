package io.github.distlock.sample.inventory;

/**
 * A lock that stays for ever when its holder dies, until somebody clears it away.
 */
public interface ClearedByHand {

	/**
	 * Clear away what a crashed holder left, or a living one has.
	 * @param sku the article
	 */
	void clear(String sku);

}
