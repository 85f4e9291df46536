package io.github.distlock.docs.recipes;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.github.distlock.HeldLock;
import io.github.distlock.testing.RedisTestServer;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the recipes with a database: a version beside a lock, while another transaction,
 * which has no lock, writes the same row; and Liquibase, while nodes start at once, and
 * after a node was killed that had Liquibase's own lock.
 */
class DatabaseRecipeTests {

	/** How long Liquibase waits for its own lock, in minutes. */
	private static final String WAIT_TIME = "liquibase.changelogLockWaitTimeInMinutes";

	private static RedisTestServer redis;

	private final DriverManagerDataSource database = new DriverManagerDataSource(
			"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	@BeforeAll
	static void startRedis() {
		redis = RedisTestServer.start();
		System.setProperty(WAIT_TIME, "1");
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
		System.clearProperty(WAIT_TIME);
	}

	private RecipeNode start() {
		return start(RecipeNode.code("LiquibaseConfiguration"));
	}

	private RecipeNode start(Class<?>... sources) {
		return RecipeNode.start(redis, (context) -> context.registerBean(DataSource.class, () -> this.database),
				List.of(), sources);
	}

	@Test
	void nodesThatStartAtOnceUpdateOneAfterTheOther() {
		List<CompletableFuture<RecipeNode>> nodes = Stream.generate(() -> CompletableFuture.supplyAsync(this::start))
			.limit(3)
			.toList();
		nodes.forEach((node) -> node.join().close());
		assertThat(this.jdbc.queryForObject("select count(*) from databasechangelog", Integer.class)).isEqualTo(1);
		assertThat(this.jdbc.queryForObject("select count(*) from stock", Integer.class)).isZero();
	}

	@Test
	void theLockOfANodeThatWasKilledDoesNotPreventTheStart() {
		start().close();
		this.jdbc.update("update databasechangeloglock set locked = true, lockgranted = current_timestamp,"
				+ " lockedby = 'shop-1'");
		this.jdbc.update("delete from databasechangelog");
		this.jdbc.execute("drop table stock");
		start().close();
		assertThat(this.jdbc.queryForObject("select count(*) from stock", Integer.class)).isZero();
	}

	@Test
	void aNodeWaitsForTheOneThatUpdates() {
		try (RecipeNode first = start()) {
			HeldLock lock = first.lock("liquibase");
			CompletableFuture<RecipeNode> second = CompletableFuture.supplyAsync(this::start);
			await().during(Duration.ofSeconds(1)).until(() -> !second.isDone());
			lock.close();
			second.join().close();
		}
	}

	@Test
	void aWriterWithoutTheLockIsNotOverwritten() {
		try (RecipeNode node = start(Jpa.class, RecipeNode.code("deposit"))) {
			this.jdbc.update("insert into account (id, balance, version) values ('a', 10, 0)");
			node.call("deposit", "a", 5L);
			assertThat(node.bean(AtomicInteger.class)).as("reads: the first one and that of a retry").hasValue(2);
			assertThat(this.jdbc.queryForObject("select balance from account", Long.class)).isEqualTo(115);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@EnableResilientMethods
	static class Jpa {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setManagedTypes(PersistenceManagedTypes.of(RecipeNode.code("Account").getName()));
			HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
			hibernate.setGenerateDdl(true);
			factory.setJpaVendorAdapter(hibernate);
			return factory;
		}

		@Bean
		PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

		@Bean
		AtomicInteger reads() {
			return new AtomicInteger();
		}

		/** Lets another connection deposit 100 after the first read. */
		@Bean
		@Primary
		EntityManager entities(EntityManagerFactory factory, AtomicInteger reads, DataSource dataSource) {
			EntityManager shared = SharedEntityManagerCreator.createSharedEntityManager(factory);
			return (EntityManager) Proxy.newProxyInstance(EntityManager.class.getClassLoader(),
					new Class<?>[] { EntityManager.class }, (proxy, method, arguments) -> {
						try {
							Object result = method.invoke(shared, arguments);
							if (method.getName().equals("find") && reads.incrementAndGet() == 1) {
								CompletableFuture
									.runAsync(() -> new JdbcTemplate(dataSource)
										.update("update account set balance = balance + 100, version = version + 1"))
									.join();
							}
							return result;
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
