package io.github.distlock.sample.inventory;

import org.springframework.stereotype.Service;

/**
 * The lock of the language: right as long as there is one JVM, and no help at all against
 * the other node.
 */
@Service("synchronized")
class SynchronizedStock implements StockService {

	private final StockLedger ledger;

	SynchronizedStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	// The keyword is the point here; elsewhere locks of java.util.concurrent are used.
	@Override
	public synchronized Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
