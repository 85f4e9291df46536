package io.github.distlock.test.shop;

/**
 * Where the stock is written down.
 */
interface StockLedger {

	int quantity(String sku);

	void write(String sku, int quantity);

}
