package io.github.distlock.sample.strategies;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, in the memory of this node: for tests, and for applications of
 * one JVM. This application has two, so it oversells.
 */
@Service("local")
@ConditionalOnBooleanProperty("distlock.local.enabled")
class LocalStock implements StockStrategy {

	private final StockRepository stock;

	LocalStock(StockRepository stock) {
		this.stock = stock;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "local")
	public Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
