package io.github.distlock.test.shop;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.test.context.TestComponent;

/**
 * A ledger that runs an action of the test inside the locked code.
 */
@TestComponent
class ScriptedLedger implements StockLedger {

	final List<String> written = new ArrayList<>();

	Runnable onRead = () -> {
	};

	@Override
	public int quantity(String sku) {
		this.onRead.run();
		return 10;
	}

	@Override
	public void write(String sku, int quantity) {
		this.written.add(sku + "=" + quantity);
	}

}
