package io.github.distlock.sample.strategies;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import io.github.distlock.Unguarded;
import io.github.distlock.lab.records.OpenSale;
import io.github.distlock.lab.records.StockRecords;
import io.github.distlock.sample.shop.StockRepository;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The shop's repository, which the shop and the strategies get in its place: it records
 * each read and write of the stock, and lets faults strike between them. The caller holds
 * the lock there, if there is one.
 */
@Repository
@Primary
public class InstrumentedStock extends StockRepository {

	private final JdbcClient jdbc;

	private final Faults faults;

	private final StockRecords records;

	private final ObjectProvider<ClearedByHand> locks;

	/** The sale of this thread, between its read and its write. */
	private final ThreadLocal<@Nullable OpenSale> sale = new ThreadLocal<>();

	InstrumentedStock(JdbcClient jdbc, @Value("${shop.work}") Duration work, Faults faults, StockRecords records,
			ObjectProvider<ClearedByHand> locks) {
		super(jdbc, work);
		this.jdbc = jdbc;
		this.faults = faults;
		this.records = records;
		this.locks = locks;
	}

	@Override
	protected long read(String sku) {
		long left = super.read(sku);
		if (left > 0) {
			this.sale.set(this.records.read(sku, sku, left));
		}
		return left;
	}

	@Override
	protected void work() {
		this.faults.strikeIfAsked();
		super.work();
	}

	@Override
	protected void write(String sku, long left) {
		OpenSale open = Objects.requireNonNull(this.sale.get(), "The stock was not read");
		this.sale.remove();
		open.write(left, left + 1, () -> {
			super.write(sku, left);
			return true;
		});
	}

	/**
	 * Work and write, for a strategy with statements of its own. Call it after the read.
	 * @param sku the article
	 * @param resource what the lock protects: the article, or a part of its stock
	 * @param read the stock that was read; one less is written
	 * @param serial the serial number of the unit
	 * @param write writes; {@code false} if the database refused it
	 * @return what {@code write} returned
	 */
	public boolean workAndWrite(String sku, String resource, long read, long serial, BooleanSupplier write) {
		OpenSale open = this.records.read(sku, resource, read);
		work();
		return open.write(read - 1, serial, write);
	}

	/** The strategy 'segments' keeps the stock in parts. */
	@Override
	public Optional<Level> level(String sku) {
		long inParts = this.jdbc
			.sql("SELECT CAST(COALESCE(SUM(quantity), 0) AS BIGINT) FROM stock_segments WHERE sku = ?")
			.param(sku)
			.query(Long.class)
			.single();
		return super.level(sku)
			.map((level) -> new Level(sku, level.quantity() + inParts, level.sold(), level.serials()));
	}

	/** Also clears what crashed holders of hand-made locks have left. */
	@Override
	@Unguarded("Sets the stock before a sale begins")
	public void reset(String sku, long quantity) {
		this.locks.forEach((lock) -> lock.clear(sku));
		this.jdbc.sql("DELETE FROM stock_segments WHERE sku = ?").param(sku).update();
		super.reset(sku, quantity);
	}

}
