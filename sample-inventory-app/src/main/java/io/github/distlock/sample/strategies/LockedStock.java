package io.github.distlock.sample.strategies;

import io.github.distlock.sample.shop.StockRepository.Sale;
import io.github.distlock.sample.shop.StockService;

import org.springframework.stereotype.Service;

/**
 * The fix, as the shop has it: a lock for all nodes, and the fence of the database for a
 * holder that is paused for longer than its lease.
 */
@Service("distributed-lock")
class LockedStock implements StockStrategy {

	private final StockService service;

	LockedStock(StockService service) {
		this.service = service;
	}

	@Override
	public Sale sell(String sku) {
		return this.service.sell(sku);
	}

}
