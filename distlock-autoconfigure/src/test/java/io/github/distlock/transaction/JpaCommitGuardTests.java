package io.github.distlock.transaction;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which JPA transactions commit under locks: they are flushed before the locks are
 * checked. The guard does not flush persistence contexts that the transaction manager
 * does not commit itself.
 */
class JpaCommitGuardTests {

	private static final EmbeddedDatabase DATABASE = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.build();

	private static final LocalContainerEntityManagerFactoryBean JPA = new LocalContainerEntityManagerFactoryBean();

	private final JdbcTemplate jdbc = new JdbcTemplate(DATABASE);

	private final StubLock lock = new StubLock();

	private final EntityManagerFactory factory = Objects.requireNonNull(JPA.getObject());

	private final EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(this.factory);

	private final TransactionTemplate transaction = guarded(new JpaTransactionManager(this.factory));

	private static TransactionTemplate guarded(PlatformTransactionManager manager) {
		new CommitGuard(() -> new CommitTerms(true, Duration.ZERO)).postProcessAfterInitialization(manager, "guarded");
		return new TransactionTemplate(manager);
	}

	@BeforeAll
	static void start() {
		JPA.setDataSource(DATABASE);
		JPA.setManagedTypes(PersistenceManagedTypes.of(Stock.class.getName()));
		HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
		hibernate.setGenerateDdl(true);
		JPA.setJpaVendorAdapter(hibernate);
		JPA.afterPropertiesSet();
	}

	@AfterAll
	static void stop() {
		JPA.destroy();
		DATABASE.shutdown();
	}

	@BeforeEach
	void fill() {
		this.jdbc.update("delete from stock");
		this.jdbc.update("insert into stock (id, quantity) values ('book', 10), ('pen', 10)");
	}

	private void underLock(Consumer<Stock> work) {
		LockContext.Scope scope = LockContext.open(this.lock);
		try {
			this.transaction.executeWithoutResult((status) -> work.accept(this.entities.find(Stock.class, "book")));
		}
		finally {
			scope.close();
		}
	}

	private int quantity() {
		Integer quantity = this.jdbc.queryForObject("select quantity from stock where id = 'book'", Integer.class);
		return (quantity != null) ? quantity : -1;
	}

	@Test
	void aTransactionUnderAHeldLockCommits() {
		underLock((stock) -> stock.quantity = 9);
		assertThat(quantity()).isEqualTo(9);
	}

	@Test
	void aTransactionUnderALostLockIsRolledBackAndSendsNoChanges() {
		AtomicBoolean sent = new AtomicBoolean();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> underLock((stock) -> {
			stock.change(9, () -> sent.set(true));
			this.lock.lose();
		}));
		assertThat(sent).isFalse();
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void aLockThatIsLostDuringTheFlushPreventsTheCommit() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> underLock((stock) -> {
			stock.change(9, this.lock::lose);
		})).withMessageContaining("was lost before its transaction committed");
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void aLockThatIsKeptForTheTransactionIsCheckedAfterTheFlushToo() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				TransactionBoundary.closeAfterCompletion(List.of(this.lock));
				this.entities.find(Stock.class, "book").change(9, this.lock::lose);
			}));
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void aFailedFlushUnderALostLockIsReportedAsALoss() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> underLock((stock) -> {
			this.entities.remove(stock);
			this.entities.persist(new Stock("odd", -1));
			this.entities.find(Stock.class, "pen").change(9, this.lock::lose);
		})).withCauseInstanceOf(DataIntegrityViolationException.class);
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void aFailedFlushUnderAHeldLockFailsAsWithoutTheGuard() {
		assertThatExceptionOfType(DataIntegrityViolationException.class)
			.isThrownBy(() -> underLock((stock) -> this.entities.persist(new Stock("odd", -1))));
	}

	@Test
	void aReadOnlyTransactionSendsNothing() {
		this.transaction.setReadOnly(true);
		underLock((stock) -> stock.quantity = 9);
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void aSessionInManualFlushModeIsNotFlushed() {
		underLock((stock) -> {
			this.entities.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
			stock.quantity = 9;
		});
		assertThat(quantity()).isEqualTo(10);
		underLock((stock) -> {
			this.entities.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
			stock.quantity = 9;
			this.entities.flush();
		});
		assertThat(quantity()).isEqualTo(9);
	}

	/**
	 * In a JDBC transaction, whose persistence context is closed when the locks are
	 * checked.
	 */
	private void sell(boolean lose) {
		try (LockContext.Scope scope = LockContext.open(this.lock)) {
			assertThat(scope).isNotNull();
			guarded(new DataSourceTransactionManager(DATABASE)).executeWithoutResult((status) -> {
				this.entities.find(Stock.class, "book").change(5, () -> {
				});
				this.jdbc.update("update stock set quantity = 9");
				if (lose) {
					this.lock.lose();
				}
			});
		}
	}

	@Test
	void aJdbcTransactionThatHasReadEntitiesCommitsUnderAHeldLock() {
		sell(false);
		assertThat(quantity()).isEqualTo(9);
	}

	@Test
	void aJdbcTransactionThatHasReadEntitiesIsRolledBackUnderALostLock() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> sell(true))
			.withMessageContaining("The transaction is rolled back");
		assertThat(quantity()).isEqualTo(10);
	}

	@Test
	void anotherSessionInManualFlushModeDoesNotPreventTheFlushOfTheOwnSession() {
		Object other = new Object();
		try (EntityManager byHand = this.factory.createEntityManager();
				LockContext.Scope scope = LockContext.open(this.lock)) {
			assertThat(scope).isNotNull();
			byHand.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
			TransactionSynchronizationManager.bindResource(other, new EntityManagerHolder(byHand));
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> guarded(new JpaTransactionManager(this.factory)).executeWithoutResult(
						(status) -> this.entities.find(Stock.class, "book").change(9, this.lock::lose)));
			assertThat(quantity()).isEqualTo(10);
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
