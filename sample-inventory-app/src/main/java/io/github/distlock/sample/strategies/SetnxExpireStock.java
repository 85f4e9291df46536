package io.github.distlock.sample.strategies;

import java.time.Duration;

import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/**
 * {@code SETNX}, then {@code EXPIRE}: the key of a crashed holder expires.
 * <p>
 * What is wrong with it: these are two commands. A holder that crashes between them
 * leaves a key without an expiry, and all other callers wait without end.
 */
@Service("setnx-expire")
class SetnxExpireStock implements StockStrategy, ClearedByHand {

	private final Duration lease;

	private final Faults faults;

	private final StringRedisTemplate redis;

	private final StockRepository stock;

	private final Polling polling;

	SetnxExpireStock(StringRedisTemplate redis, StockRepository stock, Polling polling, NodeProperties properties,
			Faults faults) {
		this.redis = redis;
		this.stock = stock;
		this.polling = polling;
		this.lease = properties.lease();
		this.faults = faults;
	}

	@Override
	public Sale sell(String sku) {
		String key = key(sku);
		this.polling.await(key, this.lease, () -> take(key));
		try {
			return this.stock.sell(sku);
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
