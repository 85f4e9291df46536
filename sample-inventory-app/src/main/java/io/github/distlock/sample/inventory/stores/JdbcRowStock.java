package io.github.distlock.sample.inventory.stores;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, a row of the database that an open transaction locks. It is free
 * at once when this node crashes.
 */
@Service("jdbc-row")
@ConditionalOnBooleanProperty("distlock.jdbc.enabled")
@ConditionalOnProperty(name = "distlock.jdbc.mode", havingValue = "connection")
class JdbcRowStock implements StockService {

	private final StockLedger ledger;

	JdbcRowStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "jdbc")
	public Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
