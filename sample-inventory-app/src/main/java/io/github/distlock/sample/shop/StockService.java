package io.github.distlock.sample.shop;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockContext;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/**
 * Sells the stock: one buyer of an article at a time, over all JVMs.
 */
@Service
@Profile("!orders")
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

	/**
	 * Sell one unit. The database also refuses the write of a JVM that was paused until
	 * its lock had expired. A parameter {@code @FencingToken long token} is another way
	 * to get the token.
	 */
	@DistributedLock(key = "'stock-' + #sku", waitTime = "${shop.wait-time}")
	public Sale sellFenced(String sku) {
		long token = LockContext.current().orElseThrow().fencingToken();
		return this.stock.sell(sku, token);
	}

}
