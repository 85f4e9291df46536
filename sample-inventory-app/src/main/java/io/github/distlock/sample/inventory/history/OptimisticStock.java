package io.github.distlock.sample.inventory.history;

import java.util.Optional;

import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;
import io.github.distlock.sample.inventory.Work;
import io.github.distlock.sample.lab.records.Stay;
import io.github.distlock.sample.lab.records.StockRecords;

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
class OptimisticStock implements StockService {

	private final JdbcClient jdbc;

	private final TransactionOperations transaction;

	private final StockLedger ledger;

	private final Work work;

	private final StockRecords records;

	OptimisticStock(JdbcClient jdbc, TransactionOperations transaction, StockLedger ledger, Work work,
			StockRecords records) {
		this.jdbc = jdbc;
		this.transaction = transaction;
		this.ledger = ledger;
		this.work = work;
		this.records = records;
	}

	@Override
	public Deduction deduct(String sku) {
		Optional<Deduction> deduction = Optional.empty();
		while (deduction.isEmpty()) {
			deduction = tryToSell(sku);
		}
		return deduction.get();
	}

	private Optional<Deduction> tryToSell(String sku) {
		Row row = this.jdbc.sql("SELECT quantity, version FROM stock WHERE sku = ?")
			.param(sku)
			.query(Row.class)
			.optional()
			.orElse(new Row(0, 0));
		if (row.quantity() <= 0) {
			return Optional.of(Deduction.soldOut());
		}
		Stay stay = this.records.read(sku, sku, row.quantity());
		this.work.perform();
		boolean written = stay.write(row.quantity() - 1, row.quantity(),
				() -> this.transaction.execute((status) -> write(sku, row)));
		return written ? Optional.of(Deduction.sold(row.quantity())) : Optional.empty();
	}

	/** Stock and sale together: each version is written once. */
	private boolean write(String sku, Row row) {
		int written = this.jdbc
			.sql("UPDATE stock SET quantity = ?, version = version + 1 WHERE sku = ? AND version = ?")
			.params(row.quantity() - 1, sku, row.version())
			.update();
		if (written == 1) {
			this.ledger.recordSale(sku, row.quantity());
		}
		return written == 1;
	}

	private record Row(long quantity, long version) {

	}

}
