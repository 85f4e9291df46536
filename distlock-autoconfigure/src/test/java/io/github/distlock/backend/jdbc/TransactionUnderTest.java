package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.github.distlock.transaction.TransactionFence;
import io.github.distlock.transaction.TransactionLockRegistry;
import io.github.distlock.transaction.TransactionLocks;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The store {@code transaction} of the contract tests: what callers of one JVM have among
 * themselves is a backend of its own, and each call runs in a transaction.
 */
final class TransactionUnderTest implements StoreUnderTest {

	private final HikariDataSource pool;

	TransactionUnderTest(TestDatabase database) {
		// Callers of a test that wait do so in transactions.
		HikariConfig settings = database.poolSettings(60);
		settings.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
		this.pool = new HikariDataSource(settings);
	}

	@Override
	public LockBackend newBackend(TimeSource clock) {
		return LocalLockBackend.withoutLeases(TransactionLocks.STORE, clock);
	}

	@Override
	public boolean locksAreTransactions() {
		return true;
	}

	@Override
	public LockRegistry callers(LockRegistry registry) {
		TransactionFence fence = new TransactionFence("contract:", "unused", List.of(), (dataSource) -> "", false,
				new TransactionLocks(this.pool, "contract:", "distlock_lock"));
		CommitGuard guard = new CommitGuard(() -> new CommitTerms(true, Duration.ZERO), () -> fence);
		Object manager = guard.postProcessAfterInitialization(new JdbcTransactionManager(this.pool), "manager");
		return new TransactionCallers(
				new TransactionLockRegistry(registry, null, fence, patience(), (event, request) -> {
				}, () -> {
				}), new TransactionTemplate((PlatformTransactionManager) manager));
	}

	/** A lock of the registry whose transaction does not have it yet is waited for. */
	@Override
	public int waiting(LockRegistry callers, int waiting, int held) {
		return waiting + held - ((TransactionCallers) callers).holders();
	}

	/** Rows remain, and mean nothing. */
	@Override
	public void clear() {
	}

	@Override
	public long items() {
		return 0;
	}

	@Override
	public Duration memory() {
		return Duration.ZERO;
	}

	@Override
	public boolean tokensSurviveLoss() {
		return false;
	}

	@Override
	public void close() {
		this.pool.close();
	}

}
