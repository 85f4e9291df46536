package io.github.distlock.sample.strategies;

import java.time.Duration;

import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/**
 * The value is the time at which the lock expires, so one command is enough:
 * {@code SETNX}. A caller that finds a time in the past takes over with {@code GETSET}.
 * If several callers try that, only the first one gets the old value back.
 * <p>
 * What is wrong with it: the times are those of the clients. For a node whose clock is
 * ahead, every lock has expired. The callers that lose the {@code GETSET} postpone the
 * winner's expiry.
 */
@Service("setnx-getset")
class SetnxGetsetStock implements StockStrategy {

	private final Duration lease;

	private final Faults faults;

	private final StringRedisTemplate redis;

	private final StockRepository stock;

	private final Polling polling;

	SetnxGetsetStock(StringRedisTemplate redis, StockRepository stock, Polling polling, NodeProperties properties,
			Faults faults) {
		this.redis = redis;
		this.stock = stock;
		this.polling = polling;
		this.lease = properties.lease();
		this.faults = faults;
	}

	@Override
	public Sale sell(String sku) {
		String key = "setnx-getset:" + sku;
		this.polling.await(key, this.lease, () -> take(key));
		long end = this.faults.currentTimeMillis() + this.lease.toMillis();
		try {
			return this.stock.sell(sku);
		}
		finally {
			// Later the lock may belong to another caller.
			if (this.faults.currentTimeMillis() < end) {
				this.redis.delete(key);
			}
		}
	}

	private boolean take(String key) {
		long now = this.faults.currentTimeMillis();
		String end = String.valueOf(now + this.lease.toMillis());
		if (Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(key, end))) {
			return true;
		}
		String current = this.redis.opsForValue().get(key);
		return current != null && Long.parseLong(current) < now
				&& current.equals(this.redis.opsForValue().getAndSet(key, end));
	}

}
