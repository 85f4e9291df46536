package io.github.distlock.sample.inventory;

import java.time.Clock;
import java.time.Duration;

import javax.sql.DataSource;

import io.github.distlock.sample.lab.records.StockRecords;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/**
 * The parts of an inventory node, put together by hand.
 */
public final class TestShop {

	/** Records nothing. */
	public static final StockRecords UNRECORDED = new StockRecords(null, Clock.systemUTC());

	private TestShop() {
	}

	public static EmbeddedDatabase database() {
		return new EmbeddedDatabaseBuilder().generateUniqueName(true)
			.setType(EmbeddedDatabaseType.H2)
			.addScript("schema.sql")
			.build();
	}

	public static InventoryProperties properties(Duration pause) {
		return new InventoryProperties(pause, Duration.ofSeconds(10), Duration.ofSeconds(60), true, null);
	}

	public static InventoryProperties impatient() {
		return new InventoryProperties(Duration.ZERO, Duration.ofSeconds(10), Duration.ofMillis(500), true, null);
	}

	public static Faults faults(InventoryProperties properties) {
		return new Faults(properties, UNRECORDED);
	}

	public static StockLedger ledger(DataSource database, InventoryProperties properties, Faults faults) {
		return ledger(database, new Work(properties, faults), UNRECORDED);
	}

	public static StockLedger ledger(DataSource database, Work work, StockRecords records) {
		return new StockLedger(JdbcClient.create(database), work, records);
	}

	static StockLedger ledger(DataSource database, Duration pause) {
		InventoryProperties properties = properties(pause);
		return ledger(database, properties, faults(properties));
	}

	public static Work work(InventoryProperties properties, Faults faults) {
		return new Work(properties, faults);
	}

	public static void stockUp(StockLedger ledger, String sku, long quantity) {
		ledger.reset(sku, quantity);
	}

}
