package io.github.distlock.sample.strategies;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, on a majority of several Redis masters.
 */
@Service("redlock")
@ConditionalOnBooleanProperty("distlock.redlock.enabled")
class RedlockStock implements StockStrategy {

	private final StockRepository stock;

	RedlockStock(StockRepository stock) {
		this.stock = stock;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "redlock")
	public Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
