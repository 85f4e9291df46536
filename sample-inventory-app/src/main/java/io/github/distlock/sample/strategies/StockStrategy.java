package io.github.distlock.sample.strategies;

import io.github.distlock.sample.shop.StockRepository.Sale;

/**
 * A way to sell one unit of an article. Most implementations call the same method of the
 * shop's repository and differ in the lock around it. The name of the bean is what a
 * caller gives as {@code strategy}.
 */
interface StockStrategy {

	/**
	 * Sell one unit, if there is one.
	 * @param sku the article
	 * @return the sold unit, or a refusal
	 */
	Sale sell(String sku);

}
