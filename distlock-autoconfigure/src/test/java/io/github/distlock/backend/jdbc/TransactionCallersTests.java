package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Callers of the mode {@code lease} that use connections of the same pool as the store.
 */
@Tag(Installed.TAG)
@Execution(ExecutionMode.CONCURRENT)
class TransactionCallersTests implements LockListener {

	private static final int POOL = 10;

	private static final int SECTIONS = 20;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final String key = "transaction-" + UUID.randomUUID() + "-";

	private final AtomicInteger renewed = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, 9, 1", "POSTGRESQL, 10, 1", "POSTGRESQL, 12, 1", "POSTGRESQL, 10, 10",
			"POSTGRESQL, 20, 1", "MARIADB, 12, 1", "MARIADB, 10, 10", "H2, 12, 1", "H2, 10, 10" })
	void callersInsideTransactionsGetTheirLocksWhateverTheirNumber(Database server, int callers, int keys)
			throws Exception {
		AtomicInteger sections = new AtomicInteger();
		AtomicInteger errors = new AtomicInteger();
		ExecutorService threads = Executors.newFixedThreadPool(callers);
		HikariConfig settings = server.open().poolSettings(POOL);
		settings.setConnectionTimeout(PATIENCE.toMillis());
		try (HikariDataSource pool = new HikariDataSource(settings)) {
			BackendLockRegistry registry = registry(pool, Duration.ofSeconds(30));
			TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
			JdbcTemplate jdbc = new JdbcTemplate(pool);
			List<Future<?>> calls = new ArrayList<>();
			for (int i = 0; i < callers; i++) {
				String name = this.key + i % keys;
				calls.add(threads.submit(() -> {
					for (int section = 0; section < SECTIONS; section++) {
						transaction.executeWithoutResult((status) -> {
							jdbc.queryForObject("SELECT 1", Integer.class);
							try (HeldLock lock = registry.acquire(LockRequest.of(name).waitTime(PATIENCE))) {
								sections.incrementAndGet();
							}
							catch (LockBackendException | LockNotAcquiredException ex) {
								errors.incrementAndGet();
							}
						});
					}
				}));
			}
			for (Future<?> call : calls) {
				call.get(PATIENCE.multipliedBy(2).toSeconds(), TimeUnit.SECONDS);
			}
			registry.shutdown();
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(errors).as("errors").hasValue(0);
		assertThat(sections).as("sections").hasValue(callers * SECTIONS);
	}

	@ParameterizedTest
	@EnumSource
	void locksAreRenewedWhileTheApplicationUsesAllOtherConnections(Database server) throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		HikariConfig settings = server.open().poolSettings(POOL);
		settings.setConnectionTimeout(PATIENCE.toMillis());
		CountDownLatch end = new CountDownLatch(1);
		try (HikariDataSource pool = new HikariDataSource(settings)) {
			BackendLockRegistry registry = registry(pool, Duration.ofSeconds(15));
			List<HeldLock> locks = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				locks.add(registry.acquire(LockRequest.of(this.key + i)));
			}
			for (int i = 0; i < POOL; i++) {
				threads.submit(() -> {
					pool.getConnection();
					return end.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
				});
			}
			// Four renewals of each lock: without them the leases have expired.
			await().atMost(PATIENCE).until(() -> this.renewed.get() >= 20 || this.lost.get() > 0);
			assertThat(locks).allMatch(HeldLock::isHeld);
			locks.forEach(HeldLock::close);
			registry.shutdown();
		}
		finally {
			end.countDown();
			threads.shutdownNow();
		}
	}

	@Override
	public void onRenewed(Renewed event) {
		this.renewed.addAndGet(event.renewed());
	}

	@Override
	public void onLost(Lost event) {
		this.lost.incrementAndGet();
	}

	private BackendLockRegistry registry(HikariDataSource pool, Duration lease) {
		return JdbcRegistries.lease(pool, PATIENCE, lease, this);
	}

}
