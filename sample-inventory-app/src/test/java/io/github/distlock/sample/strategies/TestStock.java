package io.github.distlock.sample.strategies;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

import javax.sql.DataSource;

import io.github.distlock.lab.records.StockRecords;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/**
 * The parts of an inventory node, put together by hand.
 */
final class TestStock {

	/** Records nothing. */
	static final StockRecords UNRECORDED = records(null);

	private TestStock() {
	}

	static EmbeddedDatabase database() {
		return new EmbeddedDatabaseBuilder().generateUniqueName(true)
			.setType(EmbeddedDatabaseType.H2)
			.addScripts("schema.sql", "strategies.sql")
			.build();
	}

	static NodeProperties properties() {
		return new NodeProperties(Duration.ofSeconds(10), Duration.ofSeconds(60), true, null);
	}

	static StockRecords records(@Nullable Path file) {
		return new StockRecords(file, Clock.systemUTC());
	}

	static InstrumentedStock stock(DataSource database, Duration work) {
		return stock(database, work, UNRECORDED, new Faults(properties(), UNRECORDED));
	}

	static InstrumentedStock stock(DataSource database, Duration work, StockRecords records, Faults faults,
			ClearedByHand... locks) {
		StaticListableBeanFactory beans = new StaticListableBeanFactory();
		for (ClearedByHand lock : locks) {
			beans.addBean("lock" + beans.getBeanDefinitionCount(), lock);
		}
		ObjectProvider<ClearedByHand> provider = beans.getBeanProvider(ClearedByHand.class);
		return new InstrumentedStock(JdbcClient.create(database), work, faults, records, provider);
	}

}
