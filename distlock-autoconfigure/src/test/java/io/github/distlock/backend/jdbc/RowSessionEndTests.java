package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.waiting.HandOffLimits;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Callers of one JVM while the database ends the session that holds their lock.
 */
@Tag(Installed.TAG)
class RowSessionEndTests implements LockListener {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final String key = "session-" + UUID.randomUUID();

	private final AtomicInteger waiting = new AtomicInteger();

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void theReleaseReportsTheLossAndTheNextCallerGetsTheLockInAnotherSession(Database server) throws Exception {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(8)) {
			BackendLockRegistry registry = registry(pool);
			HeldLock lock = registry.acquire(LockRequest.of(this.key));
			CompletableFuture<HeldLock> next = registry.acquireAsync(LockRequest.of(this.key).waitTime(PATIENCE));
			await().atMost(PATIENCE).until(() -> this.waiting.get() == 1);
			RowModeTests.endOtherSessions(server, database);
			assertThatThrownBy(lock::close).isInstanceOf(LockLostException.class);
			HeldLock second = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			assertThat(database.direct()
				.queryForList("SELECT fence FROM distlock_lock WHERE lock_key = ? FOR UPDATE SKIP LOCKED",
						LeaseModeTests.bytes(this.key)))
				.as("rows that no session holds")
				.isEmpty();
			assertThat(second.isHeld()).isTrue();
			second.close();
			registry.shutdown();
		}
	}

	@Override
	public void onWaiting(Waiting event) {
		this.waiting.incrementAndGet();
	}

	private BackendLockRegistry registry(HikariDataSource pool) {
		BackendLockRegistry registry = new BackendLockRegistry(
				JdbcBackend.row(pool,
						new JdbcBackendSettings("distlock:", Duration.ofSeconds(2), Duration.ofMillis(100), 17),
						TimeSource.SYSTEM),
				TestSettings.of(PATIENCE, PATIENCE, null, new HandOffLimits(16, PATIENCE), Duration.ofSeconds(10),
						false, Duration.ofSeconds(1)),
				List.of(this), TimeSource.SYSTEM);
		registry.start();
		return registry;
	}

}
