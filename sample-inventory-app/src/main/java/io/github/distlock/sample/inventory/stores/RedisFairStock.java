package io.github.distlock.sample.inventory.stores;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.stereotype.Service;

/**
 * One lock per article, in the default store, in the order of arrival over all nodes.
 */
@Service("redis-fair")
class RedisFairStock implements StockService {

	private final StockLedger ledger;

	RedisFairStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", fair = true)
	public Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
