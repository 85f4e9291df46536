package io.github.distlock.sample.inventory.history;

import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;
import io.github.distlock.sample.inventory.Work;
import io.github.distlock.sample.lab.records.Stay;
import io.github.distlock.sample.lab.records.StockRecords;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The database's own lock: {@code SELECT … FOR UPDATE} locks the row until the
 * transaction ends, and the database frees it when the connection closes.
 * <p>
 * What is wrong with it: nothing, for one row of one database. But each waiting buyer
 * occupies a connection, so many buyers of one article block all other work of the pool.
 */
@Service("for-update")
class ForUpdateStock implements StockService {

	private final JdbcClient jdbc;

	private final StockLedger ledger;

	private final Work work;

	private final StockRecords records;

	ForUpdateStock(JdbcClient jdbc, StockLedger ledger, Work work, StockRecords records) {
		this.jdbc = jdbc;
		this.ledger = ledger;
		this.work = work;
		this.records = records;
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
		// The statement has waited for the row: from here on no other buyer reads it.
		Stay stay = this.records.read(sku, sku, quantity);
		this.work.perform();
		stay.write(quantity - 1, quantity, () -> {
			this.jdbc.sql("UPDATE stock SET quantity = ? WHERE sku = ?").param(quantity - 1).param(sku).update();
			return true;
		});
		return this.ledger.recordSale(sku, quantity);
	}

}
