package io.github.distlock.docs;

import java.io.File;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockJdbcAutoConfiguration;
import io.github.distlock.docs.Example.Outbox;
import io.github.distlock.docs.Example.Price;
import io.github.distlock.docs.Example.PriceService;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import jakarta.annotation.PreDestroy;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.util.function.ThrowingSupplier;

import static io.github.distlock.docs.RecipeNode.code;
import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Runs the recipes for jobs, for work at the start and at the end, with a database (a
 * version beside a lock, while another transaction, which has no lock, writes the same
 * row; Liquibase, while nodes start at once, and after a node was killed that had
 * Liquibase's own lock), and that of a cache in Redis, which two nodes fill once; and the
 * configurations of other pages: a Redis of their own for locks, a service connection, a
 * pool for locks beside the DataSource that Spring Boot configures, components of Spring
 * Integration, and the application of the page about leader election in two JVMs.
 */
@ExtendWith(OutputCaptureExtension.class)
class JobRecipeTests {

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	/** What both nodes did. */
	private final List<String> done = new CopyOnWriteArrayList<>();

	private RecipeNode start(Class<?>... beans) {
		return RecipeNode.start(redis, this.done, List.of("distlock.key-prefix=" + System.identityHashCode(this) + ":"),
				beans);
	}

	@Test
	void eachTenantIsDoneOnceByTheNodesTogether() {
		try (RecipeNode one = start(code("TenantReports"), code("ReportJob"));
				RecipeNode two = start(code("TenantReports"), code("ReportJob"));
				RecipeNode three = start();
				HeldLock lock = three.lock("report-bob")) {
			one.call("run");
			two.call("run");
		}
		assertThat(this.done).containsExactlyInAnyOrder("report of ann", "report of eve");
	}

	@Test
	@SuppressWarnings("unchecked")
	void withThePrefixAJobWithoutATenantInItsKeyRunsOnceForEachTenant() {
		var tenants = (ThreadLocal<String>) Objects
			.requireNonNull(ReflectionTestUtils.getField(code("TenantPrefix"), "TENANT"));
		try (RecipeNode one = start(code("TenantPrefix"), Runner.class);
				RecipeNode two = start(code("TenantPrefix"), Runner.class)) {
			assertThat(this.done).containsExactly("published");
			for (String tenant : List.of("ann", "bob")) {
				tenants.set(tenant);
				one.bean(Runner.class).run(one.bean(ApplicationArguments.class));
				two.bean(Runner.class).run(two.bean(ApplicationArguments.class));
			}
		}
		finally {
			tenants.remove();
		}
		assertThat(this.done).containsExactly("published", "published", "published");
	}

	@Test
	void oneNodeAtATimeSendsTheMessagesOfTheOutbox() {
		try (RecipeNode one = start(); RecipeNode two = start(Messages.class, code("OutboxJob"))) {
			try (HeldLock lock = one.lock("outbox")) {
				two.call("send");
				assertThat(this.done).isEmpty();
			}
			two.call("send");
			two.call("send");
		}
		assertThat(this.done).containsExactly("a", "b");
	}

	@Test
	void oneNodeDoesTheWorkAtTheStartAndEachItsWorkAtTheEnd() {
		try (RecipeNode one = start(code("FirstAndLastWork")); RecipeNode two = start(code("FirstAndLastWork"))) {
			assertThat(this.done).containsExactly("published");
		}
		assertThat(this.done).containsExactly("published", "report of shop", "report of shop");
	}

	@Test
	void aCallInPreDestroyIsRefused() {
		RecipeNode node = start(Locked.class, TooLate.class);
		TooLate late = node.bean(TooLate.class);
		node.close();
		assertThat(late.refused).hasSize(1);
		assertThat(this.done).isEmpty();
	}

	record Messages(List<String> unsent) implements Outbox {

		Messages() {
			this(new CopyOnWriteArrayList<>(List.of("a", "b")));
		}

		@Override
		public void markAsSent(String message) {
			this.unsent.remove(message);
		}

	}

	static class Runner implements ApplicationRunner {

		private final PriceService prices;

		Runner(PriceService prices) {
			this.prices = prices;
		}

		@Override
		@DistributedLock(key = "'run'", waitTime = "0", onFailure = OnFailure.SKIP, minHold = "5m")
		public void run(ApplicationArguments arguments) {
			this.prices.publish();
		}

	}

	static class Locked {

		@DistributedLock("'last'")
		public void work() {
		}

	}

	static class TooLate {

		private final List<Exception> refused = new CopyOnWriteArrayList<>();

		private final Locked locked;

		TooLate(Locked locked) {
			this.locked = locked;
		}

		@PreDestroy
		void stop() {
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.locked::work)
				.satisfies(this.refused::add);
		}

	}

	private static Class<?> ofPage(String page, String name) {
		return PageCode.of(List.of(page)).type(name);
	}

	@Test
	void locksAreInTheirOwnRedisAndTheApplicationStaysInThatOfSpringBoot() {
		try (RedisTestServer application = RedisTestServer.start();
				RedisTestServer locks = RedisTestServer.start();
				RecipeNode node = RecipeNode.start(application, List.of(),
						List.of("distlock.redis.connection-factory=lockRedis", "lock-redis.host=127.0.0.1",
								"lock-redis.port=" + locks.port()),
						ofPage("docs/redis-operations.md", "LockRedisConfiguration"));
				HeldLock held = node.bean(LockRegistry.class)
					.acquire(LockRequest.of("own").waitTime(Duration.ofSeconds(30)))) {
			node.bean(StringRedisTemplate.class).opsForValue().set("value", "of the application");
			assertThat(held.isHeld()).isTrue();
			assertThat(locks.process().ask("KEYS", "*")).asString().contains("{own}").doesNotContain("value");
			assertThat(application.process().ask("KEYS", "*")).asString().isEqualTo("[value]");
		}
	}

	@Test
	void theApplicationKeepsItsDataSourceAndTheLocksGetAPoolOfTheirOwn(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, DistlockAutoConfiguration.class,
					DistlockJdbcAutoConfiguration.class))
			.withUserConfiguration(ofPage("docs/stores-jdbc.md", "LockPoolConfiguration"))
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
					"spring.datasource.type=" + SimpleDriverDataSource.class.getName(), "distlock.backend=jdbc",
					"distlock.jdbc.data-source=lockDataSource", "distlock.fail-fast=true")
			.run((started) -> {
				assertThat(started).hasNotFailed().hasBean("lockDataSource");
				DataSource application = started.getBean(DataSource.class);
				assertThat(application).isNotInstanceOf(HikariDataSource.class);
				try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
					assertThat(new JdbcTemplate(application).queryForObject("SELECT COUNT(*) FROM distlock_lock",
							Integer.class))
						.isOne();
				}
				assertThat(flushed(output)).doesNotContain("come to a standstill");
			});
	}

	@Test
	void locksAreInTheServerOfTheServiceConnection() {
		try (RedisTestServer properties = RedisTestServer.start();
				RedisTestServer container = RedisTestServer.start();
				RecipeNode node = RecipeNode.start(properties,
						(context) -> context.registerBean(DataRedisConnectionDetails.class, () -> details(container)),
						List.of());
				HeldLock held = node.bean(LockRegistry.class)
					.acquire(LockRequest.of("own").waitTime(Duration.ofSeconds(30)))) {
			assertThat(held.isHeld()).isTrue();
			assertThat(container.process().ask("KEYS", "*")).asString().contains("{own}");
			assertThat(properties.process().ask("KEYS", "*")).asString().isEqualTo("[]");
		}
	}

	private static DataRedisConnectionDetails details(RedisTestServer server) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of("127.0.0.1", server.port());
			}

		};
	}

	private static RecipeNode integrating(RedisTestServer redis) {
		return RecipeNode.start(redis, List.of(), List.of(), ofPage("docs/migration.md", "integrationLocks"));
	}

	@Test
	void oneOfTwoNodesIsTheLeader() throws Exception {
		try (RedisTestServer redis = RedisTestServer.start();
				RecipeNode one = integrating(redis);
				RecipeNode two = integrating(redis)) {
			LockRegistryLeaderInitiator first = initiator(one);
			LockRegistryLeaderInitiator second = initiator(two);
			first.start();
			await().until(() -> first.getContext().isLeader());
			second.start();
			await().during(Duration.ofSeconds(1))
				.until(() -> first.getContext().isLeader() && !second.getContext().isLeader());
			first.stop();
			await().until(() -> second.getContext().isLeader() && !first.getContext().isLeader());
			second.stop();
		}
	}

	private static LockRegistryLeaderInitiator initiator(RecipeNode node) {
		Candidate candidate = new DefaultCandidate();
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
				node.bean(org.springframework.integration.support.locks.LockRegistry.class), candidate);
		initiator.setHeartBeatMillis(100);
		initiator.setBusyWaitMillis(100);
		return initiator;
	}

	private static final String LEADER_ELECTION = "docs/leader-election.md";

	private static final String APPLICATION = "pages.docs_leader_election.com.example.jobs.JobsApplication";

	@Test
	void aPausedLeaderStepsDownWhenItContinuesAndTheOtherOneLeadsInALaterTerm() throws Exception {
		String classes = ofPage(LEADER_ELECTION, "JobsApplication").getProtectionDomain()
			.getCodeSource()
			.getLocation()
			.getPath();
		try (RedisTestServer redis = RedisTestServer.start(); ChildJvm first = start(classes, redis)) {
			long firstTerm = term(first);
			long secondTerm;
			try (ChildJvm second = start(classes, redis)) {
				first.pause();
				secondTerm = term(second);
				assertThat(secondTerm).isGreaterThan(firstTerm);
				first.resume();
				first.expect("No longer leads");
			}
			assertThat(term(first)).as("after the other one was killed").isGreaterThan(secondTerm);
		}
	}

	private static long term(ChildJvm instance) {
		return Long.parseLong(instance.expect("Leads in term "));
	}

	private static ChildJvm start(String classes, RedisTestServer redis) {
		return ChildJvm.start(List.of("-cp", classes + File.pathSeparator + System.getProperty("java.class.path")),
				Instance.class, "--spring.data.redis.port=" + redis.port(), "--distlock.lease-time=5s",
				"--spring.main.web-application-type=none", "--logging.pattern.console=%m%n");
	}

	static final class Instance {

		public static void main(String[] arguments) throws Exception {
			PrintStream out = System.out;
			out.println("started");
			Class.forName(APPLICATION).getMethod("main", String[].class).invoke(null, (Object) arguments);
		}

	}

	private static final int CALLERS = 8;

	/** How long Liquibase waits for its own lock, in minutes. */
	private static final String WAIT_TIME = "liquibase.changelogLockWaitTimeInMinutes";

	private final DriverManagerDataSource database = new DriverManagerDataSource(
			"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	@BeforeAll
	static void limitTheWait() {
		System.setProperty(WAIT_TIME, "1");
	}

	@AfterAll
	static void doNotLimitTheWait() {
		System.clearProperty(WAIT_TIME);
	}

	private RecipeNode startWithLiquibase() {
		return startWithDatabase(RecipeNode.code("LiquibaseConfiguration"));
	}

	private RecipeNode startWithDatabase(Class<?>... sources) {
		return RecipeNode.start(redis, (context) -> context.registerBean(DataSource.class, () -> this.database),
				List.of(), sources);
	}

	@Test
	void nodesThatStartAtOnceUpdateOneAfterTheOther() {
		List<CompletableFuture<RecipeNode>> nodes = Stream
			.generate(() -> CompletableFuture.supplyAsync(this::startWithLiquibase))
			.limit(3)
			.toList();
		nodes.forEach((node) -> node.join().close());
		assertThat(this.jdbc.queryForObject("select count(*) from databasechangelog", Integer.class)).isEqualTo(1);
		assertThat(this.jdbc.queryForObject("select count(*) from stock", Integer.class)).isZero();
	}

	@Test
	void theLockOfANodeThatWasKilledDoesNotPreventTheStart() {
		startWithLiquibase().close();
		this.jdbc.update("update databasechangeloglock set locked = true, lockgranted = current_timestamp,"
				+ " lockedby = 'shop-1'");
		this.jdbc.update("delete from databasechangelog");
		this.jdbc.execute("drop table stock");
		startWithLiquibase().close();
		assertThat(this.jdbc.queryForObject("select count(*) from stock", Integer.class)).isZero();
	}

	@Test
	void aNodeWaitsForTheOneThatUpdates() {
		try (RecipeNode first = startWithLiquibase()) {
			HeldLock lock = first.lock("liquibase");
			CompletableFuture<RecipeNode> second = CompletableFuture.supplyAsync(this::startWithLiquibase);
			await().during(Duration.ofSeconds(1)).until(() -> !second.isDone());
			lock.close();
			second.join().close();
		}
	}

	@Test
	void aWriterWithoutTheLockIsNotOverwritten() {
		try (RecipeNode node = startWithDatabase(Jpa.class, RecipeNode.code("deposit"))) {
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
		try (RecipeNode one = startCached(redis.port(), redis); RecipeNode two = startCached(redis.port(), redis)) {
			CyclicBarrier start = new CyclicBarrier(CALLERS);
			willAnswer((call) -> {
				this.loads.incrementAndGet();
				// Until all callers have missed the cache.
				TimeUnit.MILLISECONDS.sleep(300);
				return new Price("42", BigDecimal.TEN);
			}).given(this.prices).read("42");
			List<CompletableFuture<BigDecimal>> answers = new ArrayList<>();
			for (int i = 0; i < CALLERS; i++) {
				RecipeNode node = (i % 2 == 0) ? one : two;
				answers.add(CompletableFuture.supplyAsync(ThrowingSupplier.of(() -> {
					start.await();
					return node.call("price", "42");
				}), callers));
			}
			assertThat(answers)
				.allSatisfy((answer) -> assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualByComparingTo("10"));
			assertThat(this.loads).hasValue(1);
		}
		finally {
			callers.shutdownNow();
		}
	}

	/** Otherwise the next holder might not find it. */
	@Test
	void aPriceIsInTheCacheBeforeItsLockIsFree() throws Exception {
		try (TcpProxy proxy = new TcpProxy(redis.port()); RecipeNode node = startCached(proxy.port(), redis)) {
			given(this.prices.read("44")).willReturn(new Price("44", BigDecimal.ONE));
			node.call("load", "44"); // connects
			willAnswer((call) -> {
				proxy.holdBack(true);
				this.loads.incrementAndGet();
				return new Price("43", BigDecimal.TEN);
			}).given(this.prices).read("43");
			CompletableFuture<BigDecimal> answer = CompletableFuture.supplyAsync(() -> node.call("load", "43"));
			await().untilAtomic(this.loads, (value) -> value.equals(1));
			assertThat(catchThrowable(() -> answer.get(300, TimeUnit.MILLISECONDS)))
				.isInstanceOf(TimeoutException.class);
			proxy.holdBack(false);
			assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualByComparingTo("10");
		}
	}

	@Test
	void aLockStoreThatIsDownDoesNotPreventTheAnswer() {
		given(this.prices.read("42")).willReturn(new Price("42", BigDecimal.TEN));
		RedisTestServer down = RedisTestServer.start();
		try (RecipeNode node = startCached(down.port(), down)) {
			down.close();
			assertThat(node.<BigDecimal>call("load", "42")).isEqualByComparingTo("10");
		}
	}

	private RecipeNode startCached(int cache, RedisTestServer locks) {
		return RecipeNode.start(locks, (context) -> {
			context.registerBean(PriceService.class, () -> this.prices);
			Map.of("cache", cache, "locks", locks.port())
				.forEach((name, port) -> context.registerBean(name, RedisConnectionFactory.class,
						() -> RedisTestServer.connectionFactory(port),
						(bean) -> bean.setPrimary(name.equals("cache"))));
		}, List.of("distlock.redis.connection-factory=locks", "distlock.backend-timeout=5s", "spring.cache.type=redis"),
				code("CachedPrices"), code("PriceLoader"), code("SharedCache"), Caching.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	@ImportAutoConfiguration(CacheAutoConfiguration.class)
	static class Caching {

	}

}
