package io.github.distlock.sample.strategies;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, a row with a lease in the database.
 */
@Service("jdbc-lease")
@ConditionalOnBooleanProperty("distlock.jdbc.enabled")
@ConditionalOnProperty(name = "distlock.jdbc.mode", havingValue = "lease")
class JdbcLeaseStock implements StockStrategy {

	private final StockRepository stock;

	JdbcLeaseStock(StockRepository stock) {
		this.stock = stock;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "jdbc")
	public Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
