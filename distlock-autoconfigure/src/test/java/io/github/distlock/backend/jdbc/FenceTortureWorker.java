package io.github.distlock.backend.jdbc;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.github.distlock.transaction.TransactionFence;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A JVM that sells one by one from two threads, each sale under the lock, until it reads
 * a line.
 */
final class FenceTortureWorker {

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
	private FenceTortureWorker(HikariDataSource pool, String sku, int redis) {
		String[] options = sku.split("-");
		LockBackend backend = options[0].equals("redis")
				? new RedisLockBackend(RedisTestServer.connectionFactory(redis),
						new RedisBackendSettings("distlock:", Duration.ofSeconds(5), true, 17), TimeSource.SYSTEM)
				: JdbcBackend.lease(pool, JdbcUnderTest.SETTINGS, TimeSource.SYSTEM);
		this.registry = JdbcRegistries.start(backend, Duration.ofSeconds(5), LEASE, Duration.ofMillis(50));
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
		FenceTortureWorker worker = new FenceTortureWorker(pool, args[1], Integer.parseInt(args[2]));
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
		int quantity = Objects.requireNonNull(
				this.jdbc.queryForObject("SELECT quantity FROM torture_stock WHERE sku = ?", Integer.class, this.sku));
		LockSupport.parkNanos(5_000_000);
		return quantity;
	}

	private void write(int quantity) {
		this.jdbc.update("UPDATE torture_stock SET quantity = ? WHERE sku = ?", quantity - 1, this.sku);
		this.jdbc.update("INSERT INTO torture_sale VALUES (?)", this.sku);
	}

}
