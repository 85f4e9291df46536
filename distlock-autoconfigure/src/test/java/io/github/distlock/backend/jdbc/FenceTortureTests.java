package io.github.distlock.backend.jdbc;

import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs that sell the same article are stopped at random for longer than their leases.
 * The database is the only judge: each committed sale has taken one of the stock. More
 * pauses with {@code -Dtorture.pauses=1000}.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class FenceTortureTests {

	private static final int PAUSES = Integer.getInteger("torture.pauses", 12);

	private static final int STOCK = 10_000_000;

	private static RedisTestServer redis;

	private final JdbcTemplate jdbc = TestDatabase.postgres().direct();

	@BeforeAll
	static void startRedis() {
		redis = RedisTestServer.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@ParameterizedTest(name = "{0}, {1} transactions, guard {2}, fence {3}")
	@CsvSource({ "redis, 1, false, true", "redis, 2, false, true", "postgresql, 1, false, true",
			"postgresql, 2, false, true", "redis, 1, true, true", "redis, 2, true, true", "redis, 1, false, false",
			"redis, 2, false, false" })
	void salesAndStockAgreeUnlessThereIsNoFence(String store, int transactions, boolean guarded, boolean fenced,
			TestReporter report) {
		new ResourceDatabasePopulator(new ClassPathResource("io/github/distlock/transaction/fence-postgresql.sql"))
			.execute(Objects.requireNonNull(this.jdbc.getDataSource()));
		String sku = String.join("-", store, "" + transactions, "" + guarded, "" + fenced);
		this.jdbc.execute("CREATE TABLE IF NOT EXISTS torture_stock (sku TEXT PRIMARY KEY, quantity INT)");
		this.jdbc.execute("CREATE TABLE IF NOT EXISTS torture_sale (sku TEXT)");
		this.jdbc.update("INSERT INTO torture_stock VALUES (?, ?)", sku, STOCK);
		List<ChildJvm> workers = Stream.generate(
				() -> ChildJvm.start(FenceTortureWorker.class, TestDatabase.postgres().url(), sku, "" + redis.port()))
			.limit(2)
			.toList();
		try {
			int done = 0;
			// Without the fence until it is seen that this loses sales.
			for (; done < PAUSES || (!fenced && lost(sku) == 0 && done < 40 * PAUSES); done += PAUSES) {
				CompletableFuture
					.allOf(workers.stream()
						.map((worker) -> CompletableFuture.runAsync(() -> stopAtRandom(worker)))
						.toArray(CompletableFuture[]::new))
					.join();
			}
			workers.forEach((worker) -> report.publishEntry(sku, worker.send("stop").expect("ended")));
			int sales = count("SELECT count(*) FROM torture_sale WHERE sku = ?", sku);
			report.publishEntry(sku, done + " pauses, " + sales + " sales, " + lost(sku) + " lost");
			assertThat(sales).isGreaterThan(PAUSES);
			assertThat(lost(sku)).isBetween(fenced ? 0 : 1, fenced ? 0 : sales);
		}
		finally {
			workers.forEach(ChildJvm::close);
		}
	}

	private static void stopAtRandom(ChildJvm worker) {
		Random random = new Random();
		for (int i = 0; i < (PAUSES + 1) / 2; i++) {
			LockSupport.parkNanos(random.nextInt(500) * 1_000_000L);
			worker.pause();
			LockSupport.parkNanos((500 + random.nextInt(1500)) * 1_000_000L);
			worker.resume();
		}
	}

	/** Sales that took nothing of the stock. */
	private int lost(String sku) {
		return count("SELECT (SELECT count(*) FROM torture_sale s WHERE s.sku = t.sku) - " + STOCK
				+ " + quantity FROM torture_stock t WHERE sku = ?", sku);
	}

	private int count(String query, String sku) {
		return Objects.requireNonNull(this.jdbc.queryForObject(query, Integer.class, sku));
	}

}
