package io.github.distlock.docs.examples;

/**
 * Reads and writes the stock.
 */
public interface StockLedger {

	/** Read the stock of an article. */
	int quantity(String sku);

	/** Write the stock of an article. */
	void write(String sku, int quantity);

	/** Write the stock of an article unless a later holder has written it. */
	boolean write(String sku, int quantity, long fencingToken);

}
