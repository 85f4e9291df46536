package io.github.distlock.docs.examples;

import java.math.BigDecimal;

/**
 * Reads and writes prices.
 */
public interface PriceService {

	/** Read the price of an article. */
	Price read(String sku);

	/** Write the price of an article. */
	void write(String sku, BigDecimal amount);

	/** Make the prices visible to other systems. */
	void publish();

}
