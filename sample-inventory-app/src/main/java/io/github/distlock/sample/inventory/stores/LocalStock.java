package io.github.distlock.sample.inventory.stores;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, in the memory of this node: for tests, and for applications of
 * one JVM. This application has two, so it oversells.
 */
@Service("local")
@ConditionalOnBooleanProperty("distlock.local.enabled")
class LocalStock implements StockService {

	private final StockLedger ledger;

	LocalStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "local")
	public Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
