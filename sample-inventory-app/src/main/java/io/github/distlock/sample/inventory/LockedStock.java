package io.github.distlock.sample.inventory;

import org.springframework.stereotype.Service;

/**
 * The fix: a lock for all nodes, and a fencing token for a holder that is paused for
 * longer than its lease.
 */
@Service("distributed-lock")
class LockedStock implements StockService {

	private final FencedSale sale;

	LockedStock(FencedSale sale) {
		this.sale = sale;
	}

	@Override
	public Deduction deduct(String sku) {
		return this.sale.sell(sku, 0);
	}

}
