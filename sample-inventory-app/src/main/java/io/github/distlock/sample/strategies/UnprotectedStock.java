package io.github.distlock.sample.strategies;

import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.stereotype.Service;

/**
 * No lock: two buyers read the same stock, and the later write overwrites the earlier
 * one.
 */
@Service("none")
class UnprotectedStock implements StockStrategy {

	private final StockRepository stock;

	UnprotectedStock(StockRepository stock) {
		this.stock = stock;
	}

	@Override
	public Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
