package io.github.distlock.transaction;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Which transactions commit under locks, with a real database.
 */
class CommitGuardTests {

	@AutoClose("shutdown")
	private static final EmbeddedDatabase DATABASE = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.build();

	private static final JdbcTemplate JDBC = new JdbcTemplate(DATABASE);

	static {
		JDBC.execute("create table sales (what varchar)");
		// A transaction waits for the row of another one that a slow machine delays.
		JDBC.execute("set default_lock_timeout 60000");
	}

	private final StubLock lock = new StubLock();

	private final DataSourceTransactionManager manager = guarded(DATABASE, Duration.ZERO);

	@BeforeEach
	void forget() {
		JDBC.update("delete from sales");
	}

	private static DataSourceTransactionManager guarded(DataSource dataSource, Duration margin) {
		DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
		new CommitGuard(() -> new CommitTerms(true, margin)).postProcessAfterInitialization(manager, "transactions");
		return manager;
	}

	private TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.manager);
		template.setPropagationBehavior(propagation);
		return template;
	}

	private TransactionTemplate transaction() {
		return transaction(TransactionDefinition.PROPAGATION_REQUIRED);
	}

	private static void sell(String what) {
		JDBC.update("insert into sales values (?)", what);
	}

	private static void assertSold(String... what) {
		assertThat(JDBC.queryForList("select what from sales", String.class)).containsExactly(what);
	}

	private void underLock(Runnable work) {
		LockContext.Scope scope = LockContext.open(this.lock);
		try {
			work.run();
		}
		finally {
			scope.close();
		}
	}

	@Test
	void aTransactionUnderAHeldLockCommits() {
		underLock(() -> transaction().executeWithoutResult((status) -> sell("book")));
		assertSold("book");
	}

	@Test
	void aTransactionWithoutALockCommits() {
		this.lock.lose();
		transaction().executeWithoutResult((status) -> sell("book"));
		assertSold("book");
	}

	@Test
	void aTransactionUnderALostLockIsRolledBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> underLock(() -> transaction().executeWithoutResult((status) -> {
				sell("book");
				this.lock.lose();
			})))
			.withMessageMatching("Lock 'stock' \\(token \\d+\\) was lost before its transaction committed.*");
		assertSold();
	}

	/** The last row of the table in {@code transactions.md}. */
	@ParameterizedTest
	@CsvSource({ "false, 8", "true, 7" })
	void aHolderThatIsPausedBetweenCheckAndCommitLosesASaleUnlessTheTokenIsWrittenFirst(boolean fenced, int left) {
		JDBC.execute("create table if not exists stock (quantity int, fence bigint)");
		JDBC.update("delete from stock");
		JDBC.update("insert into stock values (10, 0)");
		AtomicReference<CompletableFuture<Void>> next = new AtomicReference<>();
		DataSourceTransactionManager paused = new DataSourceTransactionManager(DATABASE) {

			@Override
			protected void doCommit(DefaultTransactionStatus status) {
				CommitGuardTests.this.lock.lose();
				CompletableFuture<Void> read = new CompletableFuture<>();
				next.set(CompletableFuture
					.runAsync(() -> deduct(new DataSourceTransactionManager(DATABASE), 2, fenced ? 2 : 0, read)));
				if (!fenced) {
					read.join();
				}
				super.doCommit(status);
			}

		};
		new CommitGuard(() -> new CommitTerms(true, Duration.ZERO)).postProcessAfterInitialization(paused, "paused");
		underLock(() -> deduct(paused, 1, fenced ? 1 : 0, new CompletableFuture<>()));
		next.get().join();
		assertThat(JDBC.queryForObject("select quantity from stock", Integer.class)).isEqualTo(left);
	}

	private static void deduct(DataSourceTransactionManager manager, int amount, long token,
			CompletableFuture<Void> read) {
		new TransactionTemplate(manager).executeWithoutResult((status) -> {
			if (token > 0) {
				assertThat(JDBC.update("update stock set fence = ? where fence < ?", token, token)).isOne();
			}
			Integer quantity = Objects.requireNonNull(JDBC.queryForObject("select quantity from stock", Integer.class));
			read.complete(null);
			JDBC.update("update stock set quantity = ?", quantity - amount);
		});
	}

	@Test
	void theLockIsCheckedAfterAllOtherWorkBeforeTheCommit() {
		for (TransactionSynchronization last : new TransactionSynchronization[] { new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				CommitGuardTests.this.lock.lose();
			}

		}, new TransactionSynchronization() {

			@Override
			public void beforeCompletion() {
				CommitGuardTests.this.lock.lose();
			}

		} }) {
			this.lock.left(Duration.ofSeconds(1));
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> underLock(() -> transaction().executeWithoutResult((status) -> {
					sell("book");
					TransactionSynchronizationManager.registerSynchronization(last);
				})));
			assertSold();
		}
	}

	@Test
	void aManagerWithoutSynchronizationsIsGuardedToo() {
		this.manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		theLockIsLostAfterTheWork(transaction());
		assertSold();
	}

	private void theLockIsLostAfterTheWork(TransactionTemplate template) {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> underLock(() -> template.executeWithoutResult((status) -> {
				sell("book");
				this.lock.lose();
			})));
	}

	@Test
	void aTransactionWithLessThanTheMarginLeftIsRolledBack() {
		TransactionTemplate careful = new TransactionTemplate(guarded(DATABASE, Duration.ofMillis(500)));
		this.lock.left(Duration.ofMillis(499));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> underLock(() -> careful.executeWithoutResult((status) -> sell("book"))))
			.withMessageContaining(
					"'stock' had 499ms left when its transaction was about to commit, less than distlock.transaction."
							+ "commit-margin (500ms)");
		assertSold();
		this.lock.left(Duration.ofMillis(500));
		underLock(() -> careful.executeWithoutResult((status) -> sell("book")));
		assertSold("book");
	}

	@Test
	void aNewTransactionInsideIsRolledBackAndTheSuspendedOneIsNot() {
		transaction().executeWithoutResult((status) -> {
			sell("outer");
			theLockIsLostAfterTheWork(transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
			this.lock.lose();
		});
		assertSold("outer");
	}

	@Test
	void aNewTransactionInsideAndTheSuspendedOneAreRolledBackIfBothWorkUnderTheLock() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> underLock(() -> transaction().executeWithoutResult((status) -> {
				sell("outer");
				transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
					.executeWithoutResult((inner) -> sell("inner"));
				this.lock.lose();
				theLockIsLostAfterTheWork(transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
			})));
		assertSold("inner");
	}

	@Test
	void aNestedTransactionIsRolledBackAndTheOuterOneCannotCommit() {
		assertThatExceptionOfType(UnexpectedRollbackException.class)
			.isThrownBy(() -> transaction().executeWithoutResult((status) -> {
				sell("outer");
				theLockIsLostAfterTheWork(transaction(TransactionDefinition.PROPAGATION_NESTED));
			}));
		assertSold();
	}

	@Test
	void aLockThatWasReleasedAfterANestedTransactionIsNotALoss() {
		transaction().executeWithoutResult((status) -> {
			underLock(() -> transaction(TransactionDefinition.PROPAGATION_NESTED)
				.executeWithoutResult((nested) -> sell("book")));
			this.lock.close();
		});
		assertSold("book");
	}

	@Test
	void aReadOnlyTransactionIsGuardedToo() {
		TransactionTemplate reading = transaction();
		reading.setReadOnly(true);
		theLockIsLostAfterTheWork(reading);
	}

	@Test
	void onlyACommitIsGuarded() {
		underLock(() -> {
			Throwable thrown = catchThrowable(() -> transaction().executeWithoutResult((status) -> {
				this.lock.lose();
				throw new IllegalStateException("mine");
			}));
			assertThat(thrown).isExactlyInstanceOf(IllegalStateException.class).hasNoSuppressedExceptions();
			transaction().executeWithoutResult(TransactionExecution::setRollbackOnly);
			transaction(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult((status) -> sell("book"));
		});
		assertSold("book");
	}

}
