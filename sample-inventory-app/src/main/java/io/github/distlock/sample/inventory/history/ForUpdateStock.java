package io.github.distlock.sample.inventory.history;

import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;
import io.github.distlock.sample.inventory.Work;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The database's own lock: {@code SELECT … FOR UPDATE} keeps the row until the
 * transaction ends, and the database frees it when the client dies.
 * <p>
 * What is wrong with it: nothing, for one row of one database. Every waiting buyer keeps
 * a connection, so many buyers of one article keep all other work out of the pool.
 */
@Service("for-update")
class ForUpdateStock implements StockService {

	private final JdbcClient jdbc;

	private final StockLedger ledger;

	private final Work work;

	ForUpdateStock(JdbcClient jdbc, StockLedger ledger, Work work) {
		this.jdbc = jdbc;
		this.ledger = ledger;
		this.work = work;
	}

	@Override
	@Transactional
	public Deduction deduct(String sku) {
		long quantity = this.jdbc.sql("SELECT quantity FROM stock WHERE sku = ? FOR UPDATE")
			.param(sku)
			.query(Long.class)
			.optional()
			.orElse(0L);
		if (quantity <= 0) {
			return Deduction.soldOut();
		}
		this.work.perform();
		this.jdbc.sql("UPDATE stock SET quantity = ? WHERE sku = ?").param(quantity - 1).param(sku).update();
		return this.ledger.recordSale(sku, quantity);
	}

}
