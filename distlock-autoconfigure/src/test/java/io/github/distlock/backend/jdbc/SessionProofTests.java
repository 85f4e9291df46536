package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
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
import static org.awaitility.Awaitility.await;

/**
 * Locks of the mode {@code connection} whose session cannot be checked, on pools of the
 * application: no proof is no lock, and no commit.
 */
@Tag(Installed.TAG)
class SessionProofTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String key = "proof-" + UUID.randomUUID();

	private final CountDownLatch end = new CountDownLatch(1);

	private final AtomicInteger blocked = new AtomicInteger();

	@AfterEach
	void unblock() {
		this.end.countDown();
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "POSTGRESQL" })
	void aLockWhoseConnectionThePoolHasClosedIsNotConfirmedAndItsHolderLearnsOfTheLoss(Database server) {
		TestDatabase database = server.open();
		BackendLockRegistry registry = registry(abandoning(database));
		JdbcNode other = this.nodes.connection(database.pool(4));
		HeldLock asked = registry.acquire(LockRequest.of(this.key + 1));
		HeldLock idle = registry.acquire(LockRequest.of(this.key + 2));
		CompletableFuture<LossCause> loss = lossOf(idle);
		awaitGrant(other, this.key + 1);
		assertThat(asked.confirmHeld()).as("with a second holder").isFalse();
		awaitGrant(other, this.key + 2);
		assertThat(loss).succeedsWithin(SOON).isEqualTo(LossCause.SESSION_LOST);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(asked::close);
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "POSTGRESQL" })
	void aLockWhoseCheckDoesNotReturnIsNotConfirmedAndItsConnectionIsCutOff(Database server) {
		HikariDataSource pool = this.nodes.closing(server.open().pool(4));
		JdbcNode other = this.nodes.closing(JdbcNode.connection(pool));
		BackendLockRegistry registry = registry(
				new ObservedPool(pool, (connection, method, argument) -> awaitEnd(method)), JdbcNode.SHORT_COMMAND);
		HeldLock lock = registry.acquire(LockRequest.of(this.key));
		await().atMost(SOON).until(() -> this.blocked.get() > 0);
		assertThat(lock.confirmHeld()).as("beside a check that does not return").isFalse();
		awaitGrant(other, this.key);
		HeldLock idle = registry.acquire(LockRequest.of(this.key + "idle"));
		assertThat(lossOf(idle)).succeedsWithin(SOON).isEqualTo(LossCause.SESSION_LOST);
	}

	private static void awaitGrant(JdbcNode node, String key) {
		Ticket ticket = node.ticket(key);
		await().atMost(SOON).until(() -> node.has(ticket));
	}

	private void awaitEnd(String method) {
		if (method.equals("isValid")) {
			this.blocked.incrementAndGet();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private static CompletableFuture<LossCause> lossOf(HeldLock lock) {
		CompletableFuture<LossCause> loss = new CompletableFuture<>();
		lock.onLost(() -> loss.complete(lock.lossCause()));
		return loss;
	}

	private BackendLockRegistry registry(DataSource pool) {
		return registry(pool, JdbcNode.COMMAND);
	}

	private BackendLockRegistry registry(DataSource pool, Duration command) {
		BackendLockRegistry registry = JdbcRegistries.start(JdbcBackend.connection(pool,
				JdbcUnderTest.settings(JdbcNode.CONNECTION_PREFIX, command, 80), TimeSource.SYSTEM), SOON, SOON, SOON);
		this.nodes.closing(registry::shutdown);
		return registry;
	}

	private DataSource abandoning(TestDatabase database) {
		org.apache.tomcat.jdbc.pool.DataSource pool = database.abandoningPool();
		this.nodes.closing(() -> pool.close(true));
		return pool;
	}

	@AutoClose("shutdown")
	private final EmbeddedDatabase sales = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.build();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.sales);

	private TransactionTemplate guarded() {
		this.jdbc.execute("create table if not exists sales (what varchar)");
		DataSourceTransactionManager manager = new DataSourceTransactionManager(this.sales);
		new CommitGuard(() -> new CommitTerms(true, Duration.ofSeconds(2))).postProcessAfterInitialization(manager,
				"transactions");
		return new TransactionTemplate(manager);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aTransactionIsRolledBackIfTheTransactionOfItsLockHasJustEnded(Database server) {
		TestDatabase database = server.open();
		BackendLockRegistry registry = registry(this.nodes.closing(database.pool(4)));
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

	@ParameterizedTest
	@EnumSource(names = { "H2", "POSTGRESQL" })
	void aTransactionIsRolledBackIfThePoolHasClosedTheConnectionOfItsLock(Database server) {
		TestDatabase database = server.open();
		BackendLockRegistry registry = registry(abandoning(database));
		JdbcNode other = this.nodes.connection(database.pool(2));
		Ticket next = other.ticket(this.key);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> sell(registry, () -> await().atMost(SOON).until(() -> other.has(next))))
			.satisfies((thrown) -> assertThat(thrown.lossCause()).isEqualTo(LossCause.SESSION_LOST));
		assertThat(sold()).isZero();
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
