package io.github.distlock.sample.strategies;

import java.util.Optional;

import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/**
 * No lock but a version column: the write succeeds only if the row has not been written
 * since the read, else the buyer starts again.
 * <p>
 * What is wrong with it: nothing, while few buyers want the same row. With many buyers,
 * one succeeds, the work of all others is lost, and there is no order among them. Only
 * that row is protected: a call of another system is not.
 */
@Service("optimistic")
class OptimisticStock implements StockStrategy {

	private final JdbcClient jdbc;

	private final TransactionOperations transaction;

	private final InstrumentedStock stock;

	OptimisticStock(JdbcClient jdbc, TransactionOperations transaction, InstrumentedStock stock) {
		this.jdbc = jdbc;
		this.transaction = transaction;
		this.stock = stock;
	}

	@Override
	public Sale sell(String sku) {
		Optional<Sale> sale = Optional.empty();
		while (sale.isEmpty()) {
			sale = tryToSell(sku);
		}
		return sale.get();
	}

	private Optional<Sale> tryToSell(String sku) {
		Row row = this.jdbc.sql("SELECT quantity, version FROM stock WHERE sku = ?")
			.param(sku)
			.query(Row.class)
			.optional()
			.orElse(new Row(0, 0));
		if (row.quantity() <= 0) {
			return Optional.of(Sale.soldOut());
		}
		boolean written = this.stock.workAndWrite(sku, sku, row.quantity(), row.quantity(),
				() -> this.transaction.execute((status) -> write(sku, row)));
		return written ? Optional.of(Sale.of(row.quantity())) : Optional.empty();
	}

	/** Stock and sale together: each version is written once. */
	private boolean write(String sku, Row row) {
		int written = this.jdbc
			.sql("UPDATE stock SET quantity = ?, version = version + 1 WHERE sku = ? AND version = ?")
			.params(row.quantity() - 1, sku, row.version())
			.update();
		if (written == 1) {
			this.stock.sold(sku, row.quantity());
		}
		return written == 1;
	}

	private record Row(long quantity, long version) {

	}

}
