package io.github.distlock.test.shop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.stereotype.Component;

/**
 * The stock in memory.
 */
@Component
class MemoryLedger implements StockLedger {

	private final Map<String, Integer> quantities = new ConcurrentHashMap<>();

	@Override
	public int quantity(String sku) {
		return this.quantities.getOrDefault(sku, 10);
	}

	@Override
	public void write(String sku, int quantity) {
		this.quantities.put(sku, quantity);
	}

}
