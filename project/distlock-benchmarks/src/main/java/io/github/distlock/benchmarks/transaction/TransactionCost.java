package io.github.distlock.benchmarks.transaction;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.servers.ServerOptions;
import io.github.distlock.benchmarks.servers.redis.RedisServers;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * Calls of a method that reads and writes a row of PostgreSQL in a transaction: without a
 * lock, with a lock in Redis, with the fence, with a lock of the database, and with a row
 * lock by hand.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TransactionCost {

	private static final Map<String, Map<String, String>> SETTINGS = Map.of("fenced",
			Map.of("distlock.transaction.fence", "true"), "connection",
			Map.of("distlock.backend", "jdbc", "distlock.jdbc.mode", "connection"));

	private @Nullable EmbeddedPostgres database;

	private @Nullable RedisServers redis;

	private @Nullable ConfigurableApplicationContext context;

	private Stock stock = new Stock(new JdbcTemplate());

	/**
	 * Start the servers and an application.
	 * @param benchmark which one is measured
	 * @throws IOException if a server does not start
	 */
	@Setup
	public void start(BenchmarkParams benchmark) throws IOException {
		EmbeddedPostgres postgres = EmbeddedPostgres.start();
		this.database = postgres;
		this.redis = RedisServers.open(Deployment.REDIS, new ServerOptions(null, null));
		RedisAddress address = this.redis.address().redis(0);
		String name = benchmark.getBenchmark().substring(benchmark.getBenchmark().lastIndexOf('.') + 1);
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties(Map.of("spring.main.banner-mode", "off", "logging.level.root", "warn",
					"spring.main.register-shutdown-hook", "false", "distlock.jdbc.initialize-schema", "always",
					"spring.datasource.url", postgres.getJdbcUrl("postgres", "postgres"), "spring.data.redis.port",
					Integer.toString(address.port())))
			.properties(Map.copyOf(SETTINGS.getOrDefault(name, Map.of())))
			.run();
		JdbcTemplate jdbc = this.context.getBean(JdbcTemplate.class);
		jdbc.execute("CREATE TABLE stock (sku VARCHAR(9) PRIMARY KEY, quantity BIGINT)");
		jdbc.execute("INSERT INTO stock VALUES ('a-1', 0)");
		this.stock = this.context.getBean(Stock.class);
	}

	/**
	 * Stop them.
	 * @throws IOException if the database does not end
	 */
	@TearDown
	public void stop() throws IOException {
		if (this.context != null) {
			this.context.close();
		}
		if (this.redis != null) {
			this.redis.close();
		}
		if (this.database != null) {
			this.database.close();
		}
	}

	/** The bare transaction. */
	@Benchmark
	public void unlocked() {
		this.stock.sell("a-1");
	}

	/** A lock in Redis around it. */
	@Benchmark
	public void redis() {
		this.stock.sellLocked("a-1");
	}

	/** A lock in Redis around it, whose token is its first statement. */
	@Benchmark
	public void fenced() {
		this.stock.sellLocked("a-1");
	}

	/** A lock of the same database around it, on a second connection. */
	@Benchmark
	public void connection() {
		this.stock.sellLocked("a-1");
	}

	/** A row lock inside of it, by hand. */
	@Benchmark
	public void forUpdate() {
		this.stock.sellForUpdate("a-1");
	}

	/**
	 * The stock.
	 */
	static class Stock {

		private final JdbcTemplate jdbc;

		Stock(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		void sell(String sku) {
			write(sku, "");
		}

		@Transactional
		@DistributedLock(key = "'stock-' + #p0")
		void sellLocked(String sku) {
			write(sku, "");
		}

		@Transactional
		void sellForUpdate(String sku) {
			write(sku, " FOR UPDATE");
		}

		private void write(String sku, String lock) {
			Long quantity = this.jdbc.queryForObject("SELECT quantity FROM stock WHERE sku = ?" + lock, Long.class,
					sku);
			this.jdbc.update("UPDATE stock SET quantity = ? WHERE sku = ?", (quantity != null) ? quantity + 1 : 0, sku);
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Stock stock(JdbcTemplate jdbc) {
			return new Stock(jdbc);
		}

	}

}
