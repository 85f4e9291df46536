package io.github.distlock.docs;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.sql.DataSource;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.github.distlock.HeldLock;
import io.github.distlock.docs.Example.Price;
import io.github.distlock.docs.Example.PriceService;
import io.github.distlock.testing.RedisTestServer;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
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
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Runs the recipes with a database: a version beside a lock, while another transaction,
 * which has no lock, writes the same row; Liquibase, while nodes start at once, and after
 * a node was killed that had Liquibase's own lock; and that of a cache in Redis, which
 * two nodes fill once.
 */
class DatabaseRecipeTests {

	private static final int CALLERS = 8;

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

	private final AtomicInteger loads = new AtomicInteger();

	private final PriceService prices = mock(PriceService.class);

	@Test
	void allNodesTogetherLoadAPriceOnce() throws Exception {
		ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
		try (RecipeNode one = startCached(redis); RecipeNode two = startCached(redis)) {
			CountDownLatch start = new CountDownLatch(CALLERS);
			willAnswer((call) -> {
				this.loads.incrementAndGet();
				// Until all callers have missed the cache.
				TimeUnit.MILLISECONDS.sleep(300);
				return new Price("42", BigDecimal.TEN);
			}).given(this.prices).read("42");
			List<CompletableFuture<BigDecimal>> answers = new ArrayList<>();
			for (int i = 0; i < CALLERS; i++) {
				RecipeNode node = (i % 2 == 0) ? one : two;
				answers.add(CompletableFuture.supplyAsync(() -> {
					start.countDown();
					awaitAll(start);
					return node.call("price", "42");
				}, callers));
			}
			assertThat(answers)
				.allSatisfy((answer) -> assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualByComparingTo("10"));
			assertThat(this.loads).hasValue(1);
		}
		finally {
			callers.shutdownNow();
		}
	}

	@Test
	void aLockStoreThatIsDownDoesNotPreventTheAnswer() {
		given(this.prices.read("42")).willReturn(new Price("42", BigDecimal.TEN));
		RedisTestServer down = RedisTestServer.start();
		try (RecipeNode node = startCached(down)) {
			down.close();
			assertThat(node.<BigDecimal>call("load", "42")).isEqualByComparingTo("10");
		}
	}

	private RecipeNode startCached(RedisTestServer server) {
		return RecipeNode.start(server, (context) -> context.registerBean(PriceService.class, () -> this.prices),
				List.of("distlock.backend-timeout=5s", "distlock.redis.command-timeout=5s"),
				RecipeNode.code("CachedPrices"), RecipeNode.code("PriceLoader"), Caching.class);
	}

	private static void awaitAll(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

		@Bean
		CacheManager cacheManager(RedisConnectionFactory connections) {
			return RedisCacheManager.create(connections);
		}

	}

}
