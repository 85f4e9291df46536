package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.testing.RecordedEvents;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Many waiting callers and few connections, callers of the mode {@code lease} that use
 * connections of the same pool as the store, and two JVMs that ask for a lock again as
 * soon as they have released it.
 */
@Tag(Installed.TAG)
class ManyWaitersTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int WAITERS = 200;

	/** The connections of an application. */
	private static final int POOL = 10;

	private static final int SECTIONS = 20;

	/** The sections of two JVMs that take turns. */
	private static final int TURNS = 60;

	/**
	 * Of at most 40. A JVM that takes the lock again at once leaves it 3 to 10 times. One
	 * that leaves it for 10 ms does so 30 to 40 times, and half as often beside so much
	 * other work that the other JVM does not come in time.
	 */
	private static final int HAND_OFFS = 12;

	private final String key = "many-" + UUID.randomUUID() + "-";

	@AutoClose("shutdownNow")
	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<Future<?>> calls = new ArrayList<>();

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	/** The sections of both in their order. The lock guards the list. */
	private final List<Integer> owners = new ArrayList<>();

	private final AtomicInteger sections = new AtomicInteger();

	private final RecordedEvents events = new RecordedEvents();

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, true, 4", "POSTGRESQL, true, 40", "MARIADB, true, 40", "H2, true, 40",
			"POSTGRESQL, false, 40", "MARIADB, false, 4" })
	void twoHundredWaitingCallersDoNotExhaustThePoolAndAllGetTheLock(Database server, boolean connected, int keys)
			throws Exception {
		ConcurrentMap<String, AtomicInteger> inside = new ConcurrentHashMap<>();
		AtomicInteger overlaps = new AtomicInteger();
		HikariDataSource pool = this.nodes.closing(server.open().pool(7));
		HikariDataSource other = this.nodes.closing(server.open().pool(7));
		List<BackendLockRegistry> registries = List.of(registry(pool, connected), registry(other, connected));
		for (int i = 0; i < WAITERS; i++) {
			BackendLockRegistry registry = registries.get(i % 2);
			String name = this.key + (i / 2 % keys);
			this.calls.add(this.threads.submit(() -> {
				try (HeldLock lock = registry.acquire(LockRequest.of(name).waitTime(PATIENCE))) {
					AtomicInteger here = inside.computeIfAbsent(name, (any) -> new AtomicInteger());
					if (here.incrementAndGet() > 1) {
						overlaps.incrementAndGet();
					}
					// The application needs a connection as well.
					pool.getConnection().close();
					here.decrementAndGet();
				}
				return true;
			}));
		}
		awaitCalls();
		assertThat(overlaps).hasValue(0);
	}

	private void awaitCalls() throws Exception {
		for (Future<?> call : this.calls) {
			call.get(PATIENCE.multipliedBy(2).toSeconds(), TimeUnit.SECONDS);
		}
	}

	private BackendLockRegistry registry(HikariDataSource pool, boolean connected) {
		JdbcBackendSettings settings = new JdbcBackendSettings(connected ? JdbcNode.CONNECTION_PREFIX : "distlock:",
				JdbcNode.COMMAND, Duration.ofMillis(100), 17, 3, 5, true, TableNames.DEFAULT, "");
		LockBackend backend = connected ? JdbcBackend.connection(pool, settings, TimeSource.SYSTEM)
				: JdbcBackend.lease(pool, settings, TimeSource.SYSTEM);
		return this.nodes.registry(backend, PATIENCE, Duration.ofSeconds(30), Duration.ofMillis(50));
	}

	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void aJvmWithoutThinkTimeLeavesTheLockToAnotherOneThatWaits() throws Exception {
		HikariDataSource pool = this.nodes.closing(TestDatabase.postgres().pool(4));
		for (int jvm = 0; jvm < 2; jvm++) {
			BackendLockRegistry registry = registry(pool, Duration.ofSeconds(30));
			int owner = jvm;
			this.calls.add(this.threads.submit(() -> takeTurns(registry, owner)));
		}
		awaitCalls();
		int handOffs = 0;
		// At first, no JVM listens.
		for (int i = TURNS / 3; i < TURNS; i++) {
			handOffs += this.owners.get(i).equals(this.owners.get(i - 1)) ? 0 : 1;
		}
		assertThat(handOffs).as("hand-offs of %s", this.owners).isGreaterThan(HAND_OFFS);
	}

	private void takeTurns(BackendLockRegistry registry, int jvm) {
		while (this.sections.get() < TURNS) {
			try (HeldLock lock = registry.acquire(LockRequest.of(this.key).waitTime(PATIENCE))) {
				this.owners.add(jvm);
				this.sections.incrementAndGet();
				work();
			}
		}
	}

	private static void work() {
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < 20_000_000) {
			Thread.onSpinWait();
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "POSTGRESQL, 9, 1", "POSTGRESQL, 10, 1", "POSTGRESQL, 12, 1", "POSTGRESQL, 10, 10",
			"POSTGRESQL, 20, 1", "MARIADB, 12, 1", "MARIADB, 10, 10", "H2, 12, 1", "H2, 10, 10" })
	void callersInsideTransactionsGetTheirLocksWhateverTheirNumber(Database server, int callers, int keys)
			throws Exception {
		AtomicInteger errors = new AtomicInteger();
		HikariDataSource pool = pool(server);
		BackendLockRegistry registry = registry(pool, Duration.ofSeconds(30));
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
		JdbcTemplate jdbc = new JdbcTemplate(pool);
		for (int i = 0; i < callers; i++) {
			String name = this.key + i % keys;
			this.calls.add(this.threads.submit(() -> {
				for (int section = 0; section < SECTIONS; section++) {
					transaction.executeWithoutResult((status) -> {
						jdbc.queryForObject("SELECT 1", Integer.class);
						try (HeldLock lock = registry.acquire(LockRequest.of(name).waitTime(PATIENCE))) {
							this.sections.incrementAndGet();
						}
						catch (LockBackendException | LockNotAcquiredException ex) {
							errors.incrementAndGet();
						}
					});
				}
			}));
		}
		awaitCalls();
		assertThat(errors).as("errors").hasValue(0);
		assertThat(this.sections).as("sections").hasValue(callers * SECTIONS);
	}

	@ParameterizedTest
	@EnumSource
	@Execution(ExecutionMode.CONCURRENT)
	void locksAreRenewedWhileTheApplicationUsesAllOtherConnections(Database server) throws Exception {
		HikariDataSource pool = pool(server);
		BackendLockRegistry registry = registry(pool, Duration.ofSeconds(15));
		List<HeldLock> locks = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			locks.add(registry.acquire(LockRequest.of(this.key + i)));
		}
		for (int i = 0; i < POOL; i++) {
			this.threads.submit(() -> {
				Connection borrowed = pool.getConnection();
				// Until the end of the test, which interrupts this thread.
				new CountDownLatch(1).await();
				return borrowed;
			});
		}
		// Four renewals of each lock: without them the leases have expired.
		await().atMost(PATIENCE).until(() -> this.events.renewed.get() >= 20 || !this.events.lost.isEmpty());
		assertThat(locks).allMatch(HeldLock::isHeld);
		locks.forEach(HeldLock::close);
	}

	private HikariDataSource pool(Database server) {
		return this.nodes
			.closing(server.open().pool(POOL, (settings) -> settings.setConnectionTimeout(PATIENCE.toMillis())));
	}

	private BackendLockRegistry registry(HikariDataSource pool, Duration lease) {
		return this.nodes.registry(pool, PATIENCE, lease, this.events);
	}

}
