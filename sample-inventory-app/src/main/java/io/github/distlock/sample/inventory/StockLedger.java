package io.github.distlock.sample.inventory;

import java.util.Optional;
import java.util.function.LongPredicate;

import io.github.distlock.sample.lab.records.Stay;
import io.github.distlock.sample.lab.records.StockRecords;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The stock in the database, and the code with the bug: read, check, write back.
 * <p>
 * {@link #sell(String)} runs three statements that commit one by one, and writes a value
 * that it computed from what it read: the classic lost update. One transaction around
 * them does not prevent it at the usual isolation level (READ COMMITTED), where both
 * buyers may read before either writes. For this one column the statement
 * {@code UPDATE … SET quantity = quantity - 1 WHERE quantity > 0} is enough. The ledger
 * stands for code that must read, decide and write, and cannot do so in one statement.
 */
@Repository
public class StockLedger {

	private final JdbcClient jdbc;

	private final Work work;

	private final StockRecords records;

	StockLedger(JdbcClient jdbc, Work work, StockRecords records) {
		this.jdbc = jdbc;
		this.work = work;
		this.records = records;
	}

	/**
	 * Sell one unit, if there is one. Correct only while no other caller sells the same
	 * article: the caller chooses the lock. Blocks for three statements and the declared
	 * work. The unit's serial number is the stock that was read, so that two buyers who
	 * read the same stock hold the same unit.
	 * @param sku the article
	 * @return the sold unit, or a refusal
	 */
	public Deduction sell(String sku) {
		return readCheckAndWrite(sku, (left) -> {
			this.jdbc.sql("UPDATE stock SET quantity = ? WHERE sku = ?").param(left).param(sku).update();
			return true;
		}).orElseThrow();
	}

	/**
	 * Sell one unit as {@link #sell(String)} does. The database refuses the write if a
	 * later holder of the lock has already written: then this caller was paused for
	 * longer than its lease, without noticing it.
	 * @param sku the article
	 * @param token the fencing token of the caller's lock
	 * @return the sold unit, or a refusal
	 * @throws IllegalStateException if the write was refused; nothing is sold then
	 */
	Deduction sellWithToken(String sku, long token) {
		return readCheckAndWrite(sku,
				(left) -> this.jdbc.sql("UPDATE stock SET quantity = ?, fence = ? WHERE sku = ? AND fence < ?")
					.params(left, token, sku, token)
					.update() == 1)
			.orElseThrow(() -> new IllegalStateException("The sale of '" + sku + "' under token " + token
					+ " came too late: a later holder of the lock has sold meanwhile"));
	}

	private Optional<Deduction> readCheckAndWrite(String sku, LongPredicate write) {
		long quantity = this.jdbc.sql("SELECT quantity FROM stock WHERE sku = ?")
			.param(sku)
			.query(Long.class)
			.optional()
			.orElse(0L);
		if (quantity <= 0) {
			return Optional.of(Deduction.soldOut());
		}
		Stay stay = this.records.read(sku, sku, quantity);
		this.work.perform();
		boolean written = stay.write(quantity - 1, quantity, () -> write.test(quantity - 1));
		return written ? Optional.of(recordSale(sku, quantity)) : Optional.empty();
	}

	/**
	 * Record a sale. Does not read or write the stock.
	 * @param sku the article
	 * @param serial the number of the sold unit
	 * @return the sold unit
	 */
	public Deduction recordSale(String sku, long serial) {
		this.jdbc.sql("INSERT INTO sales (sku, serial_number) VALUES (?, ?)").param(sku).param(serial).update();
		return Deduction.sold(serial);
	}

	Optional<StockLevel> level(String sku) {
		return this.jdbc.sql("""
				SELECT sku,
				CAST(quantity + (SELECT COALESCE(SUM(part.quantity), 0) FROM stock_segments part
				WHERE part.sku = stock.sku) AS BIGINT) AS quantity,
				(SELECT COUNT(*) FROM sales WHERE sales.sku = stock.sku) AS sold,
				(SELECT COUNT(DISTINCT serial_number) FROM sales WHERE sales.sku = stock.sku) AS serials
				FROM stock WHERE sku = ?""").param(sku).query(StockLevel.class).optional();
	}

	/**
	 * Forget the sales of an article and set its stock.
	 * @param sku the article
	 * @param quantity the units to begin with
	 */
	void reset(String sku, long quantity) {
		this.jdbc.sql("DELETE FROM sales WHERE sku = ?").param(sku).update();
		this.jdbc.sql("DELETE FROM stock_segments WHERE sku = ?").param(sku).update();
		this.jdbc.sql("DELETE FROM stock WHERE sku = ?").param(sku).update();
		this.jdbc.sql("INSERT INTO stock (sku, quantity) VALUES (?, ?)").param(sku).param(quantity).update();
	}

}
