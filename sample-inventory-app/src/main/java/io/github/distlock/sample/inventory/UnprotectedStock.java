package io.github.distlock.sample.inventory;

import org.springframework.stereotype.Service;

/**
 * No lock: two buyers read the same stock, and the later write overwrites the earlier
 * one.
 */
@Service("none")
class UnprotectedStock implements StockService {

	private final StockLedger ledger;

	UnprotectedStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	@Override
	public Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
