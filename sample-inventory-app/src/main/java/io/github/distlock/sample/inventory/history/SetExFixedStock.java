package io.github.distlock.sample.inventory.history;

import java.time.Duration;

import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.InventoryProperties;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/**
 * {@code SET key taken NX EX}: value and expiry in one command, by the server's clock.
 * <p>
 * What is wrong with it: all holders write the same value. If the work of A takes longer
 * than the lease, B enters. When A has finished, it deletes the key of B, and C enters
 * beside B. Nothing refuses the late write of A either.
 */
@Service("set-ex-fixed")
class SetExFixedStock implements StockService {

	private final Duration lease;

	private final StringRedisTemplate redis;

	private final StockLedger ledger;

	private final Patience patience;

	SetExFixedStock(StringRedisTemplate redis, StockLedger ledger, Patience patience, InventoryProperties properties) {
		this.redis = redis;
		this.ledger = ledger;
		this.patience = patience;
		this.lease = properties.lease();
	}

	@Override
	public Deduction deduct(String sku) {
		String key = "set-ex-fixed:" + sku;
		this.patience.await(key, this.lease,
				() -> Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(key, "taken", this.lease)));
		try {
			return this.ledger.sell(sku);
		}
		finally {
			this.redis.delete(key);
		}
	}

}
