package io.github.distlock.sample.inventory;

import org.springframework.stereotype.Service;

/**
 * The lock of the language: correct inside one JVM, and without effect on the other node.
 */
@Service("synchronized")
class SynchronizedStock implements StockService {

	private final StockLedger ledger;

	SynchronizedStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	// The keyword is what this class demonstrates.
	@Override
	public synchronized Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
