package io.github.distlock.sample.strategies;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, in ZooKeeper, in the order of arrival.
 */
@Service("zookeeper")
@ConditionalOnBooleanProperty("distlock.zookeeper.enabled")
class ZooKeeperStock implements StockStrategy {

	private final StockRepository stock;

	ZooKeeperStock(StockRepository stock) {
		this.stock = stock;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "zookeeper")
	public Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
