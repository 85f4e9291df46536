package io.github.distlock.sample.inventory;

/**
 * Sells one unit of an article. Most implementations call the same
 * {@link StockLedger#sell(String)} and differ in the lock around it; the bean's name is
 * what a caller gives as {@code strategy}.
 */
public interface StockService {

	/**
	 * Sell one unit, if there is one.
	 * @param sku the article
	 * @return the sold unit, or a refusal
	 */
	Deduction deduct(String sku);

}
