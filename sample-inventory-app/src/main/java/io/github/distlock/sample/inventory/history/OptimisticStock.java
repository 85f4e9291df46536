package io.github.distlock.sample.inventory.history;

import java.util.Optional;

import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;
import io.github.distlock.sample.inventory.Work;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/**
 * No lock but a version column: the write succeeds only if nobody has written since the
 * read, else the buyer begins again.
 * <p>
 * What is wrong with it: nothing, as long as few want the same row. When many do, one
 * wins, all others have worked in vain, and nobody says who is next. What is not in that
 * row (a call of another system) is not protected.
 */
@Service("optimistic")
class OptimisticStock implements StockService {

	private final JdbcClient jdbc;

	private final TransactionOperations transaction;

	private final StockLedger ledger;

	private final Work work;

	OptimisticStock(JdbcClient jdbc, TransactionOperations transaction, StockLedger ledger, Work work) {
		this.jdbc = jdbc;
		this.transaction = transaction;
		this.ledger = ledger;
		this.work = work;
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
		this.work.perform();
		// Stock and sale together: this version is written once.
		return this.transaction.execute((status) -> {
			int written = this.jdbc
				.sql("UPDATE stock SET quantity = ?, version = version + 1 WHERE sku = ? AND version = ?")
				.params(row.quantity() - 1, sku, row.version())
				.update();
			return (written == 1) ? Optional.of(this.ledger.recordSale(sku, row.quantity())) : Optional.empty();
		});
	}

	private record Row(long quantity, long version) {

	}

}
