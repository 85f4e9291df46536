package io.github.distlock.sample.strategies;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * The parts of an article's stock. Each method's lock is outside of its transaction: it
 * is released after the commit.
 */
@Repository
class StockSegments {

	private static final int COUNT = 10;

	private final JdbcClient jdbc;

	private final InstrumentedStock stock;

	StockSegments(JdbcClient jdbc, InstrumentedStock stock) {
		this.jdbc = jdbc;
		this.stock = stock;
	}

	/**
	 * Sell one unit of a part, if there is one.
	 * @param sku the article
	 * @param segment the part's number
	 * @return the sold unit, or a refusal
	 */
	@DistributedLock(key = "'segment-' + #segment + '-of-' + #sku", waitTime = "60s")
	@Transactional
	public Sale sell(String sku, int segment) {
		Part part = this.jdbc
			.sql("SELECT segment, first_serial, quantity FROM stock_segments WHERE sku = ? AND segment = ?")
			.params(sku, segment)
			.query(Part.class)
			.single();
		if (part.quantity() <= 0) {
			return Sale.soldOut();
		}
		long serial = part.firstSerial() + part.quantity();
		this.stock.workAndWrite(sku, sku + "#" + segment, part.quantity(), serial,
				() -> write(sku, segment, part.quantity() - 1));
		return this.stock.sold(sku, serial);
	}

	private boolean write(String sku, int segment, long left) {
		return this.jdbc.sql("UPDATE stock_segments SET quantity = ? WHERE sku = ? AND segment = ?")
			.params(left, sku, segment)
			.update() == 1;
	}

	/**
	 * Cut an article's stock into parts, unless that is done.
	 * @param sku the article
	 */
	@DistributedLock(key = "'stock-' + #sku", waitTime = "60s")
	@Transactional
	public void cut(String sku) {
		if (!parts(sku).isEmpty()) {
			return;
		}
		long left = this.jdbc.sql("SELECT quantity FROM stock WHERE sku = ?")
			.param(sku)
			.query(Long.class)
			.optional()
			.orElse(0L);
		for (int segment = 0; segment < COUNT; segment++) {
			long first = left * segment / COUNT;
			long end = left * (segment + 1) / COUNT;
			this.jdbc.sql("INSERT INTO stock_segments (sku, segment, first_serial, quantity) VALUES (?, ?, ?, ?)")
				.params(sku, segment, first, end - first)
				.update();
		}
		this.jdbc.sql("UPDATE stock SET quantity = 0 WHERE sku = ?").param(sku).update();
	}

	/**
	 * Read all parts, without a lock.
	 * @param sku the article
	 * @return a list of the caller's own; empty if the stock is not cut yet
	 */
	List<Part> parts(String sku) {
		return new ArrayList<>(this.jdbc.sql("SELECT segment, first_serial, quantity FROM stock_segments WHERE sku = ?")
			.param(sku)
			.query(Part.class)
			.list());
	}

	/**
	 * A part of the stock: the units {@code firstSerial + 1} to
	 * {@code firstSerial + quantity} are left.
	 *
	 * @param segment its number, from 0
	 * @param firstSerial the number before its first unit
	 * @param quantity units left
	 */
	record Part(int segment, long firstSerial, long quantity) {

	}

}
