package io.github.distlock.docs.recipes;

import java.math.BigDecimal;

import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

@Service
class CachedPrices {

	private final PriceLoader loader;

	CachedPrices(PriceLoader loader) {
		this.loader = loader;
	}

	@Cacheable("prices") // the first look, without a lock
	public BigDecimal price(String sku) {
		return this.loader.load(sku);
	}

}
