package io.github.distlock.sample.strategies;

import io.github.distlock.sample.shop.StockRepository.Sale;

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
class ForUpdateStock implements StockStrategy {

	private final JdbcClient jdbc;

	private final InstrumentedStock stock;

	ForUpdateStock(JdbcClient jdbc, InstrumentedStock stock) {
		this.jdbc = jdbc;
		this.stock = stock;
	}

	@Override
	@Transactional
	public Sale sell(String sku) {
		long quantity = this.jdbc.sql("SELECT quantity FROM stock WHERE sku = ? FOR UPDATE")
			.param(sku)
			.query(Long.class)
			.optional()
			.orElse(0L);
		if (quantity <= 0) {
			return Sale.soldOut();
		}
		// The statement has waited for the row: from here on no other buyer reads it.
		this.stock.workAndWrite(sku, sku, quantity, quantity, () -> write(sku, quantity - 1));
		return this.stock.sold(sku, quantity);
	}

	private boolean write(String sku, long left) {
		return this.jdbc.sql("UPDATE stock SET quantity = ? WHERE sku = ?").params(left, sku).update() == 1;
	}

}
