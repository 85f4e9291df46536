package io.github.distlock.sample.inventory;

import io.github.distlock.DistributedLock;
import io.github.distlock.FencingToken;

import org.springframework.stereotype.Component;

/**
 * The sale under its lock: one lock per article across all nodes, and a write that the
 * database refuses if a later holder has already written. This is a separate class,
 * because a call inside the same object does not pass through the proxy.
 */
@Component
class FencedSale {

	private final StockLedger ledger;

	FencedSale(StockLedger ledger) {
		this.ledger = ledger;
	}

	/**
	 * Sell one unit. The wait time is long enough for the last of many buyers that arrive
	 * at once, so that no buyer is refused.
	 * @param sku the article
	 * @param token receives the fencing token of the lock; the value that callers pass is
	 * not used
	 */
	@DistributedLock(key = "'stock-' + #sku", waitTime = "${sample.inventory.wait-time:60s}")
	Deduction sell(String sku, @FencingToken long token) {
		return this.ledger.sellWithToken(sku, token);
	}

}
