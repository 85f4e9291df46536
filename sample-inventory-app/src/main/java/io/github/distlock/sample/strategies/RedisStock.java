package io.github.distlock.sample.strategies;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, in Redis.
 */
@Service("redis")
@ConditionalOnProperty(name = "distlock.backend", havingValue = "redis", matchIfMissing = true)
class RedisStock implements StockStrategy {

	private final StockRepository stock;

	RedisStock(StockRepository stock) {
		this.stock = stock;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "redis")
	public Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
