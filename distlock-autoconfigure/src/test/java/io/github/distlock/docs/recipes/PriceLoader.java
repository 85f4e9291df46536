package io.github.distlock.docs.recipes;

import java.math.BigDecimal;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockException;
import io.github.distlock.docs.examples.ExampleTypes.PriceService;

import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

@Service
class PriceLoader {

	private final PriceService prices;

	PriceLoader(PriceService prices) {
		this.prices = prices;
	}

	@DistributedLock(key = "'price-' + #sku", waitTime = "10s", fallback = "loadWithoutLock")
	@Cacheable("prices") // the second look, under the lock
	public BigDecimal load(String sku) {
		return this.prices.read(sku).amount();
	}

	private BigDecimal loadWithoutLock(String sku, LockException ex) {
		return this.prices.read(sku).amount();
	}

}
