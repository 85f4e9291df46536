package io.github.distlock.benchmarks.annotation;

import io.github.distlock.DistributedLock;

/**
 * A service whose method does next to nothing, with the annotation and without.
 */
class CountedStock {

	private long sold;

	@DistributedLock(key = "'stock-' + #sku")
	long sellLocked(String sku) {
		return sell(sku);
	}

	@DistributedLock
	long sellOne(String sku) {
		return sell(sku);
	}

	long sell(String sku) {
		this.sold += sku.length();
		return this.sold;
	}

}
