package io.github.distlock.test.shop;

import java.util.Optional;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockAssert;
import io.github.distlock.LockContext;
import io.github.distlock.LockMode;
import io.github.distlock.OnFailure;

import org.springframework.stereotype.Service;

/**
 * Service under test.
 */
@Service
class StockService {

	private final StockLedger ledger;

	StockService(StockLedger ledger) {
		this.ledger = ledger;
	}

	/** Waits longer than any test runs. */
	@DistributedLock(key = "'stock-' + #sku", name = "stock", waitTime = "5m")
	public long deduct(String sku) {
		this.ledger.write(sku, this.ledger.quantity(sku) - 1);
		return LockContext.current().orElseThrow().fencingToken();
	}

	@DistributedLock(key = "'stock-' + #sku", waitTime = "0", leaseTime = "1m", mode = LockMode.READ,
			onFailure = OnFailure.SKIP)
	public Optional<Integer> count(String sku) {
		return Optional.of(this.ledger.quantity(sku));
	}

	@DistributedLock(key = "'move'", name = "move", registry = "${move.store:}")
	public void move(String from, String to) {
		this.ledger.write(from, this.ledger.quantity(from) - 1);
		this.ledger.write(to, this.ledger.quantity(to) + 1);
	}

	@DistributedLock("'stock-' + #sku")
	public void correct(String sku, int quantity) {
		correctUnderLock(sku, quantity);
	}

	/** May be called by a thread that already holds the lock. */
	public void correctUnderLock(String sku, int quantity) {
		LockAssert.assertLocked("stock-" + sku);
		this.ledger.write(sku, quantity);
	}

}
