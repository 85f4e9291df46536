package io.github.distlock.sample.inventory.history;

import java.time.Duration;

import io.github.distlock.sample.inventory.ClearedByHand;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.Faults;
import io.github.distlock.sample.inventory.InventoryProperties;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/**
 * {@code SETNX}, then {@code EXPIRE}: the key of a crashed holder expires.
 * <p>
 * What is wrong with it: these are two commands. A holder that crashes between them
 * leaves a key without an expiry, and all other callers wait without end.
 */
@Service("setnx-expire")
class SetnxExpireStock implements StockService, ClearedByHand {

	private final Duration lease;

	private final Faults faults;

	private final StringRedisTemplate redis;

	private final StockLedger ledger;

	private final Patience patience;

	SetnxExpireStock(StringRedisTemplate redis, StockLedger ledger, Patience patience, InventoryProperties properties,
			Faults faults) {
		this.redis = redis;
		this.ledger = ledger;
		this.patience = patience;
		this.lease = properties.lease();
		this.faults = faults;
	}

	@Override
	public Deduction deduct(String sku) {
		String key = key(sku);
		this.patience.await(key, this.lease, () -> take(key));
		try {
			return this.ledger.sell(sku);
		}
		finally {
			this.redis.delete(key);
		}
	}

	private boolean take(String key) {
		if (!Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(key, "taken"))) {
			return false;
		}
		this.faults.crashBetweenCommandsIfAsked();
		this.redis.expire(key, this.lease);
		return true;
	}

	@Override
	public void clear(String sku) {
		this.redis.delete(key(sku));
	}

	private static String key(String sku) {
		return "setnx-expire:" + sku;
	}

}
