package io.github.distlock.docs.examples;

/**
 * Sells articles.
 */
public interface StockService {

	/** Sell one piece of an article. */
	void deduct(String sku);

	/** Sell some pieces of an article. */
	void deduct(String sku, int quantity);

	/** Read the stock of an article. */
	Stock read(String sku);

}
