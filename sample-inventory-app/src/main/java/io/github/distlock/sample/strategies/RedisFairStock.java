package io.github.distlock.sample.strategies;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.stereotype.Service;

/**
 * One lock per article, in the default store, in the order of arrival over all nodes.
 */
@Service("redis-fair")
class RedisFairStock implements StockStrategy {

	private final StockRepository stock;

	RedisFairStock(StockRepository stock) {
		this.stock = stock;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", fair = true)
	public Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
