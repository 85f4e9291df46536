package io.github.distlock.sample.inventory.stores;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Service;

/**
 * One lock per article, in Redis.
 */
@Service("redis")
@ConditionalOnProperty(name = "distlock.backend", havingValue = "redis", matchIfMissing = true)
class RedisStock implements StockService {

	private final StockLedger ledger;

	RedisStock(StockLedger ledger) {
		this.ledger = ledger;
	}

	@Override
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s", registry = "redis")
	public Deduction deduct(String sku) {
		return this.ledger.sell(sku);
	}

}
