package io.github.distlock.transaction;

import java.time.Duration;
import java.util.Objects;

import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
 * The guard does not flush persistence contexts that the transaction manager does not
 * commit itself. One that joined a JDBC transaction is already closed when the locks are
 * checked.
 */
class ForeignPersistenceContextTests {

	private static final EmbeddedDatabase DATABASE = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.build();

	private static final LocalContainerEntityManagerFactoryBean JPA = new LocalContainerEntityManagerFactoryBean();

	private final JdbcTemplate jdbc = new JdbcTemplate(DATABASE);

	private final StubLock lock = new StubLock();

	private final EntityManagerFactory factory = Objects.requireNonNull(JPA.getObject());

	private final EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(this.factory);

	@BeforeAll
	static void start() {
		JPA.setDataSource(DATABASE);
		JPA.setManagedTypes(PersistenceManagedTypes.of(JpaCommitGuardTests.Stock.class.getName()));
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
		this.jdbc.update("insert into stock (id, quantity) values ('book', 10)");
	}

	private TransactionTemplate guarded(PlatformTransactionManager manager) {
		new CommitGuard(() -> new CommitTerms(true, Duration.ZERO)).postProcessAfterInitialization(manager, "guarded");
		return new TransactionTemplate(manager);
	}

	private void sell(boolean lose) {
		try (LockContext.Scope scope = LockContext.open(this.lock)) {
			assertThat(scope).isNotNull();
			guarded(new DataSourceTransactionManager(DATABASE)).executeWithoutResult((status) -> {
				this.entities.find(JpaCommitGuardTests.Stock.class, "book").change(5, () -> {
				});
				this.jdbc.update("update stock set quantity = 9");
				if (lose) {
					this.lock.lose();
				}
			});
		}
	}

	private int quantity() {
		Integer quantity = this.jdbc.queryForObject("select quantity from stock where id = 'book'", Integer.class);
		return (quantity != null) ? quantity : -1;
	}

	@Test
	void aJdbcTransactionThatHasReadEntitiesCommitsUnderAHeldLock() {
		sell(false);
		assertThat(quantity()).isEqualTo(9);
	}

	@Test
	void aJdbcTransactionThatHasReadEntitiesIsRolledBackUnderALostLock() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> sell(true))
			.withMessageContaining("the transaction is rolled back");
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
				.isThrownBy(() -> guarded(new JpaTransactionManager(this.factory))
					.executeWithoutResult((status) -> this.entities.find(JpaCommitGuardTests.Stock.class, "book")
						.change(9, this.lock::lose)));
			assertThat(quantity()).isEqualTo(10);
		}
		finally {
			TransactionSynchronizationManager.unbindResource(other);
		}
	}

}
