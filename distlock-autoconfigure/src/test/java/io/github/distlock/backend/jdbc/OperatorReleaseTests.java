package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.waiting.HandOffLimits;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the former holder and the next caller see when an operator ends a grant.
 */
@Tag(Installed.TAG)
class OperatorReleaseTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final String key = "operator-" + UUID.randomUUID();

	@ParameterizedTest
	@EnumSource
	void inTheModeLeaseTheNextCallerEntersAndTheFormerHolderNamesTheCause(Database server) throws Exception {
		try (HikariDataSource pool = server.open().pool(8)) {
			isReleased(JdbcBackend.lease(pool, JdbcUnderTest.SETTINGS, TimeSource.SYSTEM),
					JdbcBackend.lease(pool, JdbcUnderTest.SETTINGS, TimeSource.SYSTEM), pool, PATIENCE);
		}
	}

	@ParameterizedTest
	@EnumSource
	void inTheModeLeaseTheFormerHolderLearnsItAtItsRenewal(Database server) {
		try (HikariDataSource pool = server.open().pool(8);
				JdbcNode operator = JdbcNode.named(pool, "distlock:", false)) {
			BackendLockRegistry registry = registry(JdbcBackend.lease(pool, JdbcUnderTest.SETTINGS, TimeSource.SYSTEM),
					Duration.ofSeconds(1));
			HeldLock lock = registry.acquire(LockRequest.of(this.key));
			assertThat(operator.inspection().end(this.key, lock.fencingToken())).isEqualTo(EndResult.ENDED);
			await().atMost(PATIENCE).until(() -> !lock.isHeld());
			isReleasedByOperator(lock);
			registry.shutdown();
		}
	}

	private void isReleased(LockBackend one, LockBackend other, HikariDataSource pool, Duration lease)
			throws Exception {
		BackendLockRegistry holding = registry(one, lease);
		BackendLockRegistry waiting = registry(other, lease);
		try (JdbcNode operator = JdbcNode.named(pool, "distlock:", false)) {
			HeldLock lock = holding.acquire(LockRequest.of(this.key));
			CompletableFuture<HeldLock> next = waiting.acquireAsync(LockRequest.of(this.key).waitTime(PATIENCE));
			assertThat(operator.inspection().end(this.key, lock.fencingToken())).isEqualTo(EndResult.ENDED);
			HeldLock entered = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			assertThat(entered.fencingToken()).isGreaterThan(lock.fencingToken());
			isReleasedByOperator(lock);
			entered.close();
		}
		holding.shutdown();
		waiting.shutdown();
	}

	private static void isReleasedByOperator(HeldLock lock) {
		assertThat(catchThrowableOfType(LockLostException.class, lock::close).lossCause())
			.isEqualTo(LossCause.RELEASED_BY_OPERATOR);
	}

	private static BackendLockRegistry registry(LockBackend backend, Duration lease) {
		BackendLockRegistry registry = new BackendLockRegistry(backend, TestSettings.of(PATIENCE, lease, null,
				new HandOffLimits(16, PATIENCE), Duration.ofSeconds(10), false, Duration.ofSeconds(1)), List.of(),
				TimeSource.SYSTEM);
		registry.start();
		return registry;
	}

}
