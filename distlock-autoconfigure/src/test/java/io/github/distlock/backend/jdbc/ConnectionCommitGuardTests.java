package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The commit guard with locks of the mode {@code connection}, which only the database can
 * confirm.
 */
@Tag(Installed.TAG)
class ConnectionCommitGuardTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private final String key = "guarded-" + UUID.randomUUID();

	private final EmbeddedDatabase sales = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.build();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.sales);

	@BeforeEach
	void makeTable() {
		this.jdbc.execute("create table sales (what varchar)");
	}

	@AfterEach
	void shutDown() {
		this.sales.shutdown();
	}

	private TransactionTemplate guarded() {
		DataSourceTransactionManager manager = new DataSourceTransactionManager(this.sales);
		new CommitGuard(() -> new CommitTerms(true, Duration.ofSeconds(2))).postProcessAfterInitialization(manager,
				"transactions");
		return new TransactionTemplate(manager);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aTransactionIsRolledBackIfTheTransactionOfItsLockHasJustEnded(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(4)) {
			BackendLockRegistry registry = JdbcRegistries.start(
					JdbcBackend.connection(pool, JdbcUnderTest.CONNECTION_SETTINGS, TimeSource.SYSTEM), SOON, SOON,
					SOON);
			try {
				sell(registry, () -> {
				});
				assertThat(sold()).isOne();
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> sell(registry, () -> ConnectionModeTests.endOtherSessions(server, database)))
					.satisfies((thrown) -> assertThat(thrown.lossCause()).isEqualTo(LossCause.SESSION_LOST))
					.withMessageContaining("the session with the store on which it depends has ended")
					.withMessageNotContaining("lease");
				assertThat(sold()).isOne();
			}
			finally {
				registry.shutdown();
			}
		}
	}

	private int sold() {
		Integer rows = this.jdbc.queryForObject("select count(*) from sales", Integer.class);
		return (rows != null) ? rows : -1;
	}

	private void sell(BackendLockRegistry registry, Runnable beforeCommit) {
		HeldLock lock = registry.acquire(LockRequest.of(this.key));
		LockContext.Scope scope = LockContext.open(lock);
		try {
			guarded().executeWithoutResult((status) -> {
				this.jdbc.update("insert into sales values ('book')");
				beforeCommit.run();
			});
		}
		finally {
			scope.close();
			if (lock.isHeld()) {
				lock.close();
			}
		}
	}

}
