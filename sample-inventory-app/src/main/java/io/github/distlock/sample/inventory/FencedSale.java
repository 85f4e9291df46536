package io.github.distlock.sample.inventory;

import io.github.distlock.DistributedLock;
import io.github.distlock.FencingToken;

import org.springframework.stereotype.Component;

/**
 * The sale under its lock: one lock per article across all nodes, and a write that the
 * database refuses to whoever comes too late. A class of its own, since a call from
 * inside the same object would pass no proxy.
 */
@Component
class FencedSale {

	private final StockLedger ledger;

	FencedSale(StockLedger ledger) {
		this.ledger = ledger;
	}

	/**
	 * Sell one unit. The wait time is long enough for the last of many buyers who arrive
	 * at once, so that nobody is turned away.
	 * @param sku the article
	 * @param token what callers pass is not used: it receives the token of the lock
	 */
	@DistributedLock(key = "'stock-' + #sku", waitTime = "${sample.inventory.wait-time:60s}")
	Deduction sell(String sku, @FencingToken long token) {
		return this.ledger.sell(sku, token);
	}

}
