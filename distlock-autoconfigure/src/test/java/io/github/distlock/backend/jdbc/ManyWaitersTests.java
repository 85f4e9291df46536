package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many waiting callers and few connections.
 */
@Tag(Installed.TAG)
class ManyWaitersTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int WAITERS = 200;

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, true, 4", "POSTGRESQL, true, 40", "MARIADB, true, 40", "H2, true, 40",
			"POSTGRESQL, false, 40", "MARIADB, false, 4" })
	void twoHundredWaitingCallersDoNotExhaustThePoolAndAllGetTheLock(Database server, boolean connected, int keys)
			throws Exception {
		String name = "many-" + UUID.randomUUID() + "-";
		ConcurrentMap<String, AtomicInteger> inside = new ConcurrentHashMap<>();
		AtomicInteger overlaps = new AtomicInteger();
		ExecutorService threads = Executors.newFixedThreadPool(WAITERS);
		try (HikariDataSource pool = server.open().pool(7); HikariDataSource other = server.open().pool(7)) {
			List<BackendLockRegistry> registries = List.of(registry(pool, connected), registry(other, connected));
			List<Future<?>> waiters = new ArrayList<>();
			for (int i = 0; i < WAITERS; i++) {
				BackendLockRegistry registry = registries.get(i % 2);
				String key = name + (i / 2 % keys);
				waiters.add(threads.submit(() -> {
					try (HeldLock lock = registry.acquire(LockRequest.of(key).waitTime(PATIENCE))) {
						AtomicInteger here = inside.computeIfAbsent(key, (any) -> new AtomicInteger());
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
			for (Future<?> waiter : waiters) {
				waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			}
			registries.forEach(BackendLockRegistry::shutdown);
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(overlaps).hasValue(0);
	}

	private static BackendLockRegistry registry(HikariDataSource pool, boolean connected) {
		JdbcBackendSettings settings = new JdbcBackendSettings(connected ? JdbcNode.CONNECTION_PREFIX : "distlock:",
				JdbcNode.COMMAND, Duration.ofMillis(100), 17, 3, 5, true, TableNames.DEFAULT, "");
		LockBackend backend = connected ? JdbcBackend.connection(pool, settings, TimeSource.SYSTEM)
				: JdbcBackend.lease(pool, settings, TimeSource.SYSTEM);
		return JdbcRegistries.start(backend, PATIENCE, Duration.ofSeconds(30), Duration.ofMillis(50));
	}

}
