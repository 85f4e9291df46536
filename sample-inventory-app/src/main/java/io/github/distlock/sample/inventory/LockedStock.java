package io.github.distlock.sample.inventory;

import io.github.distlock.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * One lock per article across all nodes. The wait time is long enough for the last of
 * many buyers who arrive at once, so that nobody is turned away.
 */
@Service("distributed-lock")
class LockedStock implements StockService {

	private final StockLedger ledger;

	LockedStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s")
	public Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
