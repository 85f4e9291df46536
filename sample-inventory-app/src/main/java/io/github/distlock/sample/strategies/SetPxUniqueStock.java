package io.github.distlock.sample.strategies;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Service;

/**
 * {@code SET key unique NX PX}, and a script that deletes the key only if it still has
 * this holder's value: no holder frees the lock of another one. Most tutorials end here.
 * <p>
 * What is wrong with it: it is correct only while the work is shorter than the lease.
 * Nothing renews the lease, informs the late holder, or refuses its write.
 */
@Service("set-px-unique")
class SetPxUniqueStock implements StockStrategy {

	private static final RedisScript<Long> DELETE_IF_MINE = RedisScript.of("""
			if redis.call('GET', KEYS[1]) == ARGV[1] then
				return redis.call('DEL', KEYS[1])
			end
			return 0""", Long.class);

	private final Duration lease;

	private final StringRedisTemplate redis;

	private final StockRepository stock;

	private final Polling polling;

	SetPxUniqueStock(StringRedisTemplate redis, StockRepository stock, Polling polling, NodeProperties properties) {
		this.redis = redis;
		this.stock = stock;
		this.polling = polling;
		this.lease = properties.lease();
	}

	@Override
	public Sale sell(String sku) {
		String key = "set-px-unique:" + sku;
		String mine = UUID.randomUUID().toString();
		this.polling.await(key, this.lease,
				() -> Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(key, mine, this.lease)));
		try {
			return this.stock.sell(sku);
		}
		finally {
			this.redis.execute(DELETE_IF_MINE, List.of(key), mine);
		}
	}

}
