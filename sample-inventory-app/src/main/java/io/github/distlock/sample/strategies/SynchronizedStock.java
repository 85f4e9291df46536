package io.github.distlock.sample.strategies;

import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.stereotype.Service;

/**
 * The lock of the language: correct inside one JVM, and without effect on the other node.
 */
@Service("synchronized")
class SynchronizedStock implements StockStrategy {

	private final StockRepository stock;

	SynchronizedStock(StockRepository stock) {
		this.stock = stock;
	}

	// The keyword is what this class demonstrates.
	@Override
	public synchronized Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
