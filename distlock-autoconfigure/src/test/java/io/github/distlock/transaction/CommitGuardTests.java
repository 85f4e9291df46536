package io.github.distlock.transaction;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.test.FakeHeldLock;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Which transactions commit under locks, with a real database: JDBC, reactive and JPA
 * transactions. The last ones are flushed before the locks are checked. The guard does
 * not flush persistence contexts that the transaction manager does not commit itself.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class CommitGuardTests {

	// A transaction waits for the row of another one that a slow machine delays.
	private static final DataSource DATABASE = new DriverManagerDataSource(
			"jdbc:h2:mem:guarded;DB_CLOSE_DELAY=-1;DEFAULT_LOCK_TIMEOUT=60000");

	/** The same one. */
	private static final ConnectionFactory CONNECTIONS = ConnectionFactories.get("r2dbc:h2:mem:///guarded");

	@AutoClose("destroy")
	private static final LocalContainerEntityManagerFactoryBean JPA = new LocalContainerEntityManagerFactoryBean();

	private static final JdbcTemplate JDBC = new JdbcTemplate(DATABASE);

	static {
		HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
		hibernate.setGenerateDdl(true);
		JPA.setDataSource(DATABASE);
		JPA.setManagedTypes(PersistenceManagedTypes.of(Stock.class.getName()));
		JPA.setJpaVendorAdapter(hibernate);
		JPA.afterPropertiesSet();
	}

	private static final EntityManagerFactory FACTORY = Objects.requireNonNull(JPA.getObject());

	private static final EntityManager ENTITIES = SharedEntityManagerCreator.createSharedEntityManager(FACTORY);

	private final FakeHeldLock lock = FakeHeldLock.of("stock");

	private final Map<Kind, TransactionManager> managers = new EnumMap<>(Kind.class);

	/** Kinds of transactions. The work of blocking ones is done by its subscriber. */
	enum Kind {

		JDBC(() -> new DataSourceTransactionManager(DATABASE)),

		/** Its SQL is sent at the commit. */
		JPA(() -> new JpaTransactionManager(FACTORY)),

		REACTIVE(() -> new R2dbcTransactionManager(CONNECTIONS));

		private final Supplier<TransactionManager> manager;

		Kind(Supplier<TransactionManager> manager) {
			this.manager = manager;
		}

		Mono<Void> put(String id) {
			return switch (this) {
				case JDBC -> Mono.fromRunnable(() -> insert(id));
				case JPA -> Mono.fromRunnable(() -> ENTITIES.persist(new Stock(id, 1)));
				case REACTIVE -> DatabaseClient.create(CONNECTIONS)
					.sql("insert into stock (id, quantity) values ('" + id + "', 1)")
					.then();
			};
		}

	}

	private static void insert(String id) {
		JDBC.update("insert into stock (id, quantity) values (?, 1)", id);
	}

	@BeforeEach
	void fill() {
		JDBC.update("delete from stock");
		JDBC.update("insert into stock (id, quantity) values ('book', 10), ('pen', 10)");
	}

	private static TransactionManager guarded(TransactionManager manager, Duration margin) {
		return (TransactionManager) new CommitGuard(() -> new CommitTerms(true, margin))
			.postProcessAfterInitialization(manager, "guarded");
	}

	private TransactionManager manager(Kind kind) {
		return this.managers.computeIfAbsent(kind, (unguarded) -> guarded(unguarded.manager.get(), Duration.ZERO));
	}

	private Mono<Void> transaction(Kind kind, DefaultTransactionDefinition definition, Mono<Void> work) {
		if (manager(kind) instanceof PlatformTransactionManager blocking) {
			return Mono.fromRunnable(
					() -> new TransactionTemplate(blocking, definition).executeWithoutResult((status) -> work.block()));
		}
		return TransactionalOperator.create((ReactiveTransactionManager) manager(kind), definition).transactional(work);
	}

	private Mono<Void> transaction(Kind kind, Propagation propagation, Mono<Void> work) {
		return transaction(kind, new DefaultTransactionDefinition(propagation.value()), work);
	}

	private Mono<Void> transaction(Kind kind, Mono<Void> work) {
		return transaction(kind, Propagation.REQUIRED, work);
	}

	private Mono<Void> underLock(Kind kind, Mono<Void> work) {
		return (kind == Kind.REACTIVE)
				? work.contextWrite((context) -> context.put(LockContext.CONTEXT_KEY, List.<HeldLock>of(this.lock)))
				: Mono.fromRunnable(() -> underLock(work::block));
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

	private Mono<Void> lose(Kind kind) {
		Mono<Void> loss = Mono.fromRunnable(this.lock::lose);
		return (kind == Kind.REACTIVE) ? loss.subscribeOn(Schedulers.parallel()) : loss;
	}

	private Mono<Void> putAndLose(Kind kind, String id) {
		return kind.put(id).then(lose(kind));
	}

	private static void assertLost(Mono<?> work) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(work::block)
			.withMessageMatching("Lock 'stock' \\(token \\d+\\) was lost before its transaction committed.*");
	}

	private static void assertPut(String... ids) {
		assertThat(JDBC.queryForList("select id from stock where quantity = 1", String.class))
			.containsExactlyInAnyOrder(ids);
	}

	@ParameterizedTest
	@EnumSource
	void aTransactionUnderAHeldLockAndOneWithoutALockCommit(Kind kind) {
		underLock(kind, transaction(kind, kind.put("held"))).block();
		this.lock.lose();
		transaction(kind, kind.put("none")).block();
		assertPut("held", "none");
	}

	@ParameterizedTest
	@EnumSource
	void aTransactionUnderALostLockIsRolledBack(Kind kind) {
		assertLost(underLock(kind, transaction(kind, putAndLose(kind, "lost"))));
		assertPut();
	}

	@ParameterizedTest
	@EnumSource
	void aTransactionWithLessThanTheMarginLeftIsRolledBack(Kind kind) {
		this.managers.put(kind, guarded(kind.manager.get(), this.lock.remaining().plusMillis(1)));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(underLock(kind, transaction(kind, kind.put("less")))::block)
			.withMessageContaining(
					"'stock' had 30000ms left when its transaction was about to commit, less than distlock.transaction."
							+ "commit-margin (30001ms)");
		this.managers.put(kind, guarded(kind.manager.get(), this.lock.remaining()));
		underLock(kind, transaction(kind, kind.put("enough"))).block();
		assertPut("enough");
	}

	/** A nested one to its savepoint. */
	@ParameterizedTest
	@CsvSource({ "JDBC, REQUIRES_NEW", "JPA, REQUIRES_NEW", "REACTIVE, REQUIRES_NEW", "REACTIVE, NESTED" })
	void aTransactionInsideIsRolledBackAndTheOuterOneIsNot(Kind kind, Propagation propagation) {
		Mono<Void> inner = underLock(kind, transaction(kind, propagation, putAndLose(kind, "inner")));
		transaction(kind, kind.put("outer").then(Mono.fromRunnable(() -> assertLost(inner)))).block();
		assertPut("outer");
	}

	@ParameterizedTest
	@EnumSource
	void aNewTransactionInsideAndTheSuspendedOneAreRolledBackIfBothWorkUnderTheLock(Kind kind) {
		Mono<Void> inner = transaction(kind, Propagation.REQUIRES_NEW, kind.put("inner"));
		Mono<Void> lost = transaction(kind, Propagation.REQUIRES_NEW, putAndLose(kind, "lost"));
		assertLost(underLock(kind, transaction(kind,
				kind.put("outer").then(inner).then(lose(kind)).then(lost.onErrorComplete(LockLostException.class)))));
		assertPut("inner");
	}

	@ParameterizedTest
	@CsvSource({ "JDBC, NESTED", "REACTIVE, REQUIRED" })
	void aLockThatWasReleasedAfterAnInnerTransactionIsNotALoss(Kind kind, Propagation propagation) {
		Mono<Void> inner = underLock(kind, transaction(kind, propagation, kind.put("inner"))).then(lose(kind));
		transaction(kind, kind.put("outer").then(inner)).block();
		assertPut("outer", "inner");
	}

	@ParameterizedTest
	@EnumSource
	void aFailedTransactionKeepsItsOwnError(Kind kind) {
		IllegalStateException mine = new IllegalStateException("mine");
		Mono<Void> work = putAndLose(kind, "fails").then(Mono.error(mine));
		assertThat(catchThrowable(underLock(kind, transaction(kind, work))::block)).isSameAs(mine);
		assertThat(mine.getSuppressed()).noneMatch(LockLostException.class::isInstance);
		assertPut();
	}

	@ParameterizedTest
	@EnumSource
	void aReadOnlyTransactionIsGuardedToo(Kind kind) {
		DefaultTransactionDefinition reading = new DefaultTransactionDefinition();
		reading.setReadOnly(true);
		assertLost(underLock(kind, transaction(kind, reading, lose(kind))));
	}

	@Test
	void theLockOfTheSubscribingThreadAppliesIfTheContextHasNone() {
		Mono<Void> elsewhere = Mono.<Void>empty().publishOn(Schedulers.parallel());
		underLock(() -> assertLost(transaction(Kind.REACTIVE, elsewhere.then(putAndLose(Kind.REACTIVE, "lost")))));
		assertPut();
	}

	@Test
	void theLockIsCheckedAfterAllOtherWorkBeforeAReactiveCommit() {
		org.springframework.transaction.reactive.TransactionSynchronization last = new org.springframework.transaction.reactive.TransactionSynchronization() {

			@Override
			public Mono<Void> beforeCompletion() {
				return lose(Kind.REACTIVE);
			}

		};
		assertLost(underLock(Kind.REACTIVE, transaction(Kind.REACTIVE, Kind.REACTIVE.put("lost")
			.then(org.springframework.transaction.reactive.TransactionSynchronizationManager.forCurrentTransaction())
			.doOnNext((synchronizations) -> synchronizations.registerSynchronization(last))
			.then())));
		assertPut();
	}

	@Test
	void theLockIsCheckedAfterAllOtherWorkBeforeTheCommit() {
		TransactionSynchronization last = new TransactionSynchronization() {

			@Override
			public void beforeCompletion() {
				CommitGuardTests.this.lock.lose();
			}

		};
		assertLost(underLock(Kind.JDBC, transaction(Kind.JDBC, Kind.JDBC.put("lost")
			.then(Mono.fromRunnable(() -> TransactionSynchronizationManager.registerSynchronization(last))))));
		assertPut();
	}

	/** The last row of the table in {@code transactions.md}. */
	@ParameterizedTest
	@CsvSource({ "false, 8", "true, 7" })
	void aHolderThatIsPausedBetweenCheckAndCommitLosesASaleUnlessTheTokenIsWrittenFirst(boolean fenced, int left) {
		JDBC.execute("create table if not exists fenced (quantity int, fence bigint)");
		JDBC.update("delete from fenced");
		JDBC.update("insert into fenced values (10, 0)");
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
		guarded(paused, Duration.ZERO);
		underLock(() -> deduct(paused, 1, fenced ? 1 : 0, new CompletableFuture<>()));
		next.get().join();
		assertThat(JDBC.queryForObject("select quantity from fenced", Integer.class)).isEqualTo(left);
	}

	private static void deduct(DataSourceTransactionManager manager, int amount, long token,
			CompletableFuture<Void> read) {
		new TransactionTemplate(manager).executeWithoutResult((status) -> {
			if (token > 0) {
				assertThat(JDBC.update("update fenced set fence = ? where fence < ?", token, token)).isOne();
			}
			Integer quantity = Objects
				.requireNonNull(JDBC.queryForObject("select quantity from fenced", Integer.class));
			read.complete(null);
			JDBC.update("update fenced set quantity = ?", quantity - amount);
		});
	}

	@Test
	void aManagerWithoutSynchronizationsIsGuardedToo() {
		((DataSourceTransactionManager) manager(Kind.JDBC))
			.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		aTransactionUnderALostLockIsRolledBack(Kind.JDBC);
	}

	@Test
	void aNestedTransactionIsRolledBackAndTheOuterOneCannotCommit() {
		Mono<Void> inner = underLock(Kind.JDBC,
				transaction(Kind.JDBC, Propagation.NESTED, putAndLose(Kind.JDBC, "inner")));
		assertThatExceptionOfType(UnexpectedRollbackException.class).isThrownBy(
				transaction(Kind.JDBC, Kind.JDBC.put("outer").then(Mono.fromRunnable(() -> assertLost(inner))))::block);
		assertPut();
	}

	@Test
	void onlyACommitIsGuarded() {
		this.lock.lose();
		underLock(() -> new TransactionTemplate((PlatformTransactionManager) manager(Kind.JDBC))
			.executeWithoutResult(TransactionExecution::setRollbackOnly));
		underLock(Kind.JDBC, transaction(Kind.JDBC, Propagation.SUPPORTS, Kind.JDBC.put("none"))).block();
		assertPut("none");
	}

	private void underLock(Kind kind, Consumer<Stock> work) {
		underLock(kind, transaction(kind, Mono.fromRunnable(() -> work.accept(ENTITIES.find(Stock.class, "book")))))
			.block();
	}

	private static int quantity() {
		return Objects
			.requireNonNull(JDBC.queryForObject("select quantity from stock where id = 'book'", Integer.class));
	}

	@Test
	void aTransactionUnderALostLockSendsNoChanges() {
		AtomicBoolean sent = new AtomicBoolean();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> underLock(Kind.JPA, (stock) -> {
			stock.change(9, () -> sent.set(true));
			this.lock.lose();
		}));
		assertThat(sent).isFalse();
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void aLockThatIsLostDuringTheFlushPreventsTheCommit() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> underLock(Kind.JPA, (stock) -> stock.change(9, this.lock::lose)))
			.withMessageContaining("was lost before its transaction committed");
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void aLockThatIsKeptForTheTransactionIsCheckedAfterTheFlushToo() {
		assertLost(transaction(Kind.JPA, Mono.fromRunnable(() -> {
			TransactionBoundary.closeAfterCompletion(List.of(this.lock));
			ENTITIES.find(Stock.class, "book").change(9, this.lock::lose);
		})));
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void aFailedFlushUnderALostLockIsReportedAsALoss() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> underLock(Kind.JPA, (stock) -> {
			ENTITIES.remove(stock);
			ENTITIES.persist(new Stock("odd", -1));
			ENTITIES.find(Stock.class, "pen").change(9, this.lock::lose);
		})).withCauseInstanceOf(DataIntegrityViolationException.class);
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void aFailedFlushUnderAHeldLockFailsAsWithoutTheGuard() {
		assertThatExceptionOfType(DataIntegrityViolationException.class)
			.isThrownBy(() -> underLock(Kind.JPA, (stock) -> ENTITIES.persist(new Stock("odd", -1))));
	}

	@Test
	void aReadOnlyTransactionSendsNothing() {
		DefaultTransactionDefinition reading = new DefaultTransactionDefinition();
		reading.setReadOnly(true);
		underLock(Kind.JPA, transaction(Kind.JPA, reading,
				Mono.fromRunnable(() -> ENTITIES.find(Stock.class, "book").quantity = 9)))
			.block();
		assertThat(quantity()).isEqualTo(10);
	}

	@ParameterizedTest
	@CsvSource({ "false, 10", "true, 9" })
	void aSessionInManualFlushModeIsNotFlushed(boolean byTheApplication, int left) {
		underLock(Kind.JPA, (stock) -> {
			ENTITIES.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
			stock.quantity = 9;
			if (byTheApplication) {
				ENTITIES.flush();
			}
		});
		assertThat(quantity()).isEqualTo(left);
	}

	/** Its persistence context is closed when the locks are checked. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aJdbcTransactionThatHasReadEntitiesCommitsUnderAHeldLockOnly(boolean lost) {
		Consumer<Stock> work = (stock) -> {
			stock.change(5, () -> {
			});
			JDBC.update("update stock set quantity = 9");
			if (lost) {
				this.lock.lose();
			}
		};
		if (lost) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> underLock(Kind.JDBC, work))
				.withMessageContaining("The transaction is rolled back");
		}
		else {
			underLock(Kind.JDBC, work);
		}
		assertThat(quantity()).isEqualTo(lost ? 10 : 9);
	}

	@Test
	void anotherSessionInManualFlushModeDoesNotPreventTheFlushOfTheOwnSession() {
		Object other = new Object();
		try (EntityManager byHand = FACTORY.createEntityManager()) {
			byHand.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
			TransactionSynchronizationManager.bindResource(other, new EntityManagerHolder(byHand));
			aLockThatIsLostDuringTheFlushPreventsTheCommit();
		}
		finally {
			TransactionSynchronizationManager.unbindResource(other);
		}
	}

	@Entity(name = "stock")
	static class Stock {

		@Id
		private @Nullable String id;

		@Column(columnDefinition = "int check (quantity >= 0)")
		private int quantity;

		private transient Runnable onFlush = () -> {
		};

		protected Stock() {
		}

		Stock(String id, int quantity) {
			this.id = id;
			this.quantity = quantity;
		}

		void change(int quantity, Runnable onFlush) {
			this.quantity = quantity;
			this.onFlush = onFlush;
		}

		@PreUpdate
		void flushing() {
			this.onFlush.run();
		}

	}

}
