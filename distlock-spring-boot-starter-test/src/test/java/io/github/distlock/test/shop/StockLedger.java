package io.github.distlock.test.shop;

/**
 * Stores the stock.
 */
interface StockLedger {

	int quantity(String sku);

	void write(String sku, int quantity);

}
