package io.github.distlock.sample.strategies;

import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

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
class SetnxStock implements StockStrategy, ClearedByHand {

	private final StringRedisTemplate redis;

	private final StockRepository stock;

	private final Polling polling;

	SetnxStock(StringRedisTemplate redis, StockRepository stock, Polling polling) {
		this.redis = redis;
		this.stock = stock;
		this.polling = polling;
	}

	@Override
	public Sale sell(String sku) {
		String key = key(sku);
		this.polling.await(key, null, () -> Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(key, "taken")));
		try {
			return this.stock.sell(sku);
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
