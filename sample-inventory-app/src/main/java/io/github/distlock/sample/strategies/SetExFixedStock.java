package io.github.distlock.sample.strategies;

import java.time.Duration;

import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

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
class SetExFixedStock implements StockStrategy {

	private final Duration lease;

	private final StringRedisTemplate redis;

	private final StockRepository stock;

	private final Polling polling;

	SetExFixedStock(StringRedisTemplate redis, StockRepository stock, Polling polling, NodeProperties properties) {
		this.redis = redis;
		this.stock = stock;
		this.polling = polling;
		this.lease = properties.lease();
	}

	@Override
	public Sale sell(String sku) {
		String key = "set-ex-fixed:" + sku;
		this.polling.await(key, this.lease,
				() -> Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(key, "taken", this.lease)));
		try {
			return this.stock.sell(sku);
		}
		finally {
			this.redis.delete(key);
		}
	}

}
