package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The orders of one play. Once a service has said that its lock is blocked, the other
 * orders are not placed any more: they would wait as long, and in vain.
 */
final class Round {

	// "Service unavailable": so say nodes on which nobody gets the lock any more.
	private static final int BLOCKED = 503;

	private final Shop shop;

	private final String sku;

	private final String strategy;

	private final AtomicLong unserved = new AtomicLong();

	Round(Shop shop, String sku, String strategy) {
		this.shop = shop;
		this.sku = sku;
		this.strategy = strategy;
	}

	void order() throws IOException, InterruptedException {
		if (this.unserved.get() > 0) {
			this.unserved.incrementAndGet();
			return;
		}
		try {
			this.shop.order(this.sku, this.strategy);
		}
		catch (Http.BadAnswerException ex) {
			if (ex.status() != BLOCKED) {
				throw ex;
			}
			this.unserved.incrementAndGet();
		}
	}

	/**
	 * Count what the lock kept from being served.
	 * @return orders turned away, and those not placed any more
	 */
	long unserved() {
		return this.unserved.get();
	}

}
