package io.github.distlock.sample.inventory.stores;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, in ZooKeeper, in the order of arrival.
 */
@Service("zookeeper")
@ConditionalOnBooleanProperty("distlock.zookeeper.enabled")
class ZooKeeperStock implements StockService {

	private final StockLedger ledger;

	ZooKeeperStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "zookeeper")
	public Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
