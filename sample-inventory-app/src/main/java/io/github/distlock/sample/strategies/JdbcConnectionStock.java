package io.github.distlock.sample.strategies;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, which an open transaction of the database holds: a row, or an
 * advisory lock on PostgreSQL. It is free at once when this node crashes.
 */
@Service("jdbc-connection")
@ConditionalOnBooleanProperty("distlock.jdbc.enabled")
@ConditionalOnProperty(name = "distlock.jdbc.mode", havingValue = "connection")
class JdbcConnectionStock implements StockStrategy {

	private final StockRepository stock;

	JdbcConnectionStock(StockRepository stock) {
		this.stock = stock;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "jdbc")
	public Sale sell(String sku) {
		return this.stock.sell(sku);
	}

}
