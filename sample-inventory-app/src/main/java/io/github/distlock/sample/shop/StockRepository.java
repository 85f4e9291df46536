package io.github.distlock.sample.shop;

import java.time.Duration;
import java.util.Optional;

import io.github.distlock.Unguarded;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * The stock in the database, and the code with the bug: read, check, work, write back.
 * Two buyers who read the same stock get the same unit, and one of the two writes is
 * lost. A transaction does not prevent that at the usual isolation level (READ
 * COMMITTED): the caller must hold a lock. For this one column,
 * {@code UPDATE … SET quantity = quantity - 1 WHERE quantity > 0} is enough; this class
 * stands for code that cannot be one statement.
 */
@Repository
@Profile("!orders")
public class StockRepository {

	private final JdbcClient jdbc;

	private final Duration work;

	protected StockRepository(JdbcClient jdbc, @Value("${shop.work}") Duration work) {
		this.jdbc = jdbc;
		this.work = work;
	}

	/**
	 * Sell one unit, if there is one. Its serial number is the stock that was read.
	 */
	public Sale sell(String sku) {
		long left = read(sku);
		if (left <= 0) {
			return Sale.soldOut();
		}
		work();
		write(sku, left - 1);
		return sold(sku, left);
	}

	protected long read(String sku) {
		return this.jdbc.sql("SELECT quantity FROM stock WHERE sku = ?")
			.param(sku)
			.query(Long.class)
			.optional()
			.orElse(0L);
	}

	/** Real code takes time here. */
	protected void work() {
		try {
			Thread.sleep(this.work.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	protected void write(String sku, long left) {
		this.jdbc.sql("UPDATE stock SET quantity = ? WHERE sku = ?").params(left, sku).update();
	}

	public Sale sold(String sku, long serial) {
		this.jdbc.sql("INSERT INTO sales (sku, serial_number) VALUES (?, ?)").params(sku, serial).update();
		return Sale.of(serial);
	}

	public Optional<Level> level(String sku) {
		return this.jdbc.sql("""
				SELECT sku, quantity,
				(SELECT COUNT(*) FROM sales WHERE sales.sku = stock.sku) AS sold,
				(SELECT COUNT(DISTINCT serial_number) FROM sales WHERE sales.sku = stock.sku) AS serials
				FROM stock WHERE sku = ?""").param(sku).query(Level.class).optional();
	}

	/** Set the stock of an article, and delete its sales. */
	@Unguarded("Sets the stock before a sale begins")
	@Transactional
	public void reset(String sku, long quantity) {
		if (this.jdbc.sql("UPDATE stock SET quantity = ? WHERE sku = ?").params(quantity, sku).update() == 0) {
			this.jdbc.sql("INSERT INTO stock (sku, quantity) VALUES (?, ?)").params(sku, quantity).update();
		}
		this.jdbc.sql("DELETE FROM sales WHERE sku = ?").param(sku).update();
	}

	/**
	 * The answer to a buyer. A refusal because nothing is left is an answer, not an
	 * error.
	 *
	 * @param accepted whether a unit was sold
	 * @param serial the serial number of the unit, or {@code null} after a refusal
	 */
	public record Sale(boolean accepted, @Nullable Long serial) {

		public static Sale of(long serial) {
			return new Sale(true, serial);
		}

		public static Sale soldOut() {
			return new Sale(false, null);
		}

	}

	/**
	 * An article.
	 *
	 * @param sku the article
	 * @param quantity units left
	 * @param sold rows of the table {@code sales}
	 * @param serials distinct serial numbers among them: fewer than {@code sold} if a
	 * unit was sold twice
	 */
	public record Level(String sku, long quantity, long sold, long serials) {
	}

}
