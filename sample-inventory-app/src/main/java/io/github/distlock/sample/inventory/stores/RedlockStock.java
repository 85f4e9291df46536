package io.github.distlock.sample.inventory.stores;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, on a majority of several Redis masters.
 */
@Service("redlock")
@ConditionalOnBooleanProperty("distlock.redlock.enabled")
class RedlockStock implements StockService {

	private final StockLedger ledger;

	RedlockStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "redlock")
	public Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
