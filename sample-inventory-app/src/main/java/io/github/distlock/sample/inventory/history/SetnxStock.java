package io.github.distlock.sample.inventory.history;

import io.github.distlock.sample.inventory.ClearedByHand;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/**
 * {@code SETNX}: the key is written in one step if it does not exist, and deleted at the
 * end.
 * <p>
 * What is wrong with it: no caller deletes the key of a crashed holder. All other callers
 * wait without end.
 */
@Service("setnx")
class SetnxStock implements StockService, ClearedByHand {

	private final StringRedisTemplate redis;

	private final StockLedger ledger;

	private final Patience patience;

	SetnxStock(StringRedisTemplate redis, StockLedger ledger, Patience patience) {
		this.redis = redis;
		this.ledger = ledger;
		this.patience = patience;
	}

	@Override
	public Deduction deduct(String sku) {
		String key = key(sku);
		this.patience.await(key, null, () -> Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(key, "taken")));
		try {
			return this.ledger.sell(sku);
		}
		finally {
			this.redis.delete(key);
		}
	}

	@Override
	public void clear(String sku) {
		this.redis.delete(key(sku));
	}

	private static String key(String sku) {
		return "setnx:" + sku;
	}

}
