package io.github.distlock.sample.inventory;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The stock in the database, and the code with the bug: read, check, write back.
 * <p>
 * {@link #sell(String)} runs three statements that commit one by one, and writes a value
 * that it computed from what it read: the classic lost update. One transaction around
 * them would not mend it at the usual isolation level (READ COMMITTED), where both buyers
 * may read before either writes. For this one column
 * {@code UPDATE … SET quantity = quantity - 1 WHERE quantity > 0} would; it stands here
 * for all code that must read, decide and write, and cannot be said in one statement.
 */
@Repository
class StockLedger {

	private final JdbcClient jdbc;

	private final Duration pause;

	StockLedger(JdbcClient jdbc, InventoryProperties properties) {
		this.jdbc = jdbc;
		this.pause = properties.pause();
	}

	/**
	 * Sell one unit, if there is one. Correct only while nobody else sells the same
	 * article: the caller chooses the lock. Blocks for three statements and the declared
	 * pause. The unit's serial number is the stock that was read, so that two buyers who
	 * read the same stock hold the same unit.
	 * @param sku the article
	 * @return the sold unit, or a refusal
	 */
	Deduction sell(String sku) {
		long quantity = this.jdbc.sql("SELECT quantity FROM stock WHERE sku = ?")
			.param(sku)
			.query(Long.class)
			.optional()
			.orElse(0L);
		if (quantity <= 0) {
			return Deduction.soldOut();
		}
		pause();
		this.jdbc.sql("UPDATE stock SET quantity = ? WHERE sku = ?").param(quantity - 1).param(sku).update();
		this.jdbc.sql("INSERT INTO sales (sku, serial_number) VALUES (?, ?)").param(sku).param(quantity).update();
		return Deduction.sold(quantity);
	}

	Optional<StockLevel> level(String sku) {
		return this.jdbc.sql("""
				SELECT sku, quantity,
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
		this.jdbc.sql("DELETE FROM stock WHERE sku = ?").param(sku).update();
		this.jdbc.sql("INSERT INTO stock (sku, quantity) VALUES (?, ?)").param(sku).param(quantity).update();
	}

	private void pause() {
		long end = System.nanoTime() + this.pause.toNanos();
		long left = this.pause.toNanos();
		while (left > 0 && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(this, left);
			left = end - System.nanoTime();
		}
	}

}
