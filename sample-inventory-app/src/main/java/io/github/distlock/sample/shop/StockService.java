package io.github.distlock.sample.shop;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells the stock: one buyer of an article at a time, over all JVMs. A sale is one
 * transaction inside its lock. It is rolled back if the lock is lost before the commit,
 * and the database refuses it if a later holder has begun: see
 * {@code distlock.transaction.fence}.
 */
@Service
@Profile("!orders")
@Transactional
public class StockService {

	private final StockRepository stock;

	StockService(StockRepository stock) {
		this.stock = stock;
	}

	/**
	 * Sell one unit. A buyer waits until the buyers before are served; one that waits
	 * longer than the wait time gets the answer 409.
	 */
	@DistributedLock(key = "'stock-' + #sku", waitTime = "${shop.wait-time}")
	public Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
