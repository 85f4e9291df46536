package io.github.distlock.backend.jdbc;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.github.distlock.transaction.TransactionFence;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

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

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	private final JdbcTemplate jdbc = TestDatabase.postgres().direct();

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
		List<ChildJvm> workers = Stream
			.generate(() -> ChildJvm.start(Worker.class, TestDatabase.postgres().url(), sku, "" + redis.port()))
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

	/**
	 * A JVM that sells one by one from two threads, each sale under the lock, until it
	 * reads a line.
	 */
	static final class Worker {

		private static final Duration LEASE = Duration.ofMillis(300);

		private final Map<String, Integer> outcomes = new ConcurrentHashMap<>();

		private final BackendLockRegistry registry;

		private final JdbcTemplate jdbc;

		private final TransactionTemplate reading;

		private final TransactionTemplate writing;

		private final String sku;

		private final boolean inOne;

		private volatile boolean stopped;

		/** The name of the article says what is tested. */
		private Worker(HikariDataSource pool, String sku, int redis) {
			String[] options = sku.split("-");
			LockBackend backend = options[0].equals("redis")
					? new RedisLockBackend(RedisTestServer.connectionFactory(redis),
							new RedisBackendSettings("distlock:", Duration.ofSeconds(5), true, 17), TimeSource.SYSTEM)
					: JdbcBackend.lease(pool, JdbcUnderTest.SETTINGS, TimeSource.SYSTEM);
			this.registry = new JdbcNodes().registry(backend, Duration.ofSeconds(5), LEASE, Duration.ofMillis(50));
			this.jdbc = new JdbcTemplate(pool);
			JdbcTransactionManager manager = new JdbcTransactionManager(pool);
			TransactionFence fence = new TransactionFence("distlock:", "distlock_fence", List.of(), (dataSource) -> "",
					true, null);
			new CommitGuard(() -> new CommitTerms(Boolean.parseBoolean(options[2]), Duration.ZERO),
					() -> Boolean.parseBoolean(options[3]) ? fence : null)
				.postProcessAfterInitialization(manager, "transactions");
			this.writing = new TransactionTemplate(manager);
			this.reading = new TransactionTemplate(manager);
			this.reading.setReadOnly(true);
			this.sku = sku;
			this.inOne = options[1].equals("1");
		}

		public static void main(String[] args) throws Exception {
			PrintStream out = System.out;
			HikariDataSource pool = new TestDatabase("postgresql", args[0], "postgres").pool(8);
			Worker worker = new Worker(pool, args[1], Integer.parseInt(args[2]));
			CompletableFuture<?>[] threads = Stream
				.generate(() -> CompletableFuture.runAsync(worker::sell, Executors.newSingleThreadExecutor()))
				.limit(2)
				.toArray(CompletableFuture[]::new);
			while (!worker.outcomes.containsKey("sold")) {
				Thread.sleep(10);
			}
			out.println("started");
			System.in.read();
			worker.stopped = true;
			CompletableFuture.allOf(threads).join();
			out.println("ended " + new TreeMap<>(worker.outcomes));
			System.exit(0);
		}

		private void sell() {
			while (!this.stopped) {
				String outcome = "sold";
				try {
					this.registry.execute(LockRequest.of(this.sku), (Callable<@Nullable Object>) () -> {
						if (this.inOne) {
							this.writing.executeWithoutResult((status) -> write(read()));
						}
						else {
							int quantity = Objects.requireNonNull(this.reading.<Integer>execute((status) -> read()));
							this.writing.executeWithoutResult((status) -> write(quantity));
						}
						return null;
					});
				}
				catch (Exception ex) {
					// Without the values of this time.
					outcome = ex.toString().replaceAll("[0-9]+", "#");
				}
				this.outcomes.merge(outcome, 1, Integer::sum);
			}
		}

		private int read() {
			int quantity = Objects.requireNonNull(this.jdbc
				.queryForObject("SELECT quantity FROM torture_stock WHERE sku = ?", Integer.class, this.sku));
			LockSupport.parkNanos(5_000_000);
			return quantity;
		}

		private void write(int quantity) {
			this.jdbc.update("UPDATE torture_stock SET quantity = ? WHERE sku = ?", quantity - 1, this.sku);
			this.jdbc.update("INSERT INTO torture_sale VALUES (?)", this.sku);
		}

	}

}
