package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockListener;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.TransactionShop.Sales;
import io.github.distlock.docs.CodeBlock;
import io.github.distlock.docs.PageCode;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.ChildJvm;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.function.ThrowingSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Locks of the store {@code transaction} as sessions of PostgreSQL have them; methods and
 * transactions that do not fit the store; and the statements of a free lock and a
 * transaction with one of the application's own, as the server counts them. The page
 * {@code stores-transaction.md} has their numbers.
 */
class TransactionShopTests {

	private static final Duration SOON = Duration.ofSeconds(60);

	private static final List<String> STORE = List.of("distlock.backend=transaction");

	private static final Consumer<AnnotationConfigApplicationContext> SALES = (context) -> context
		.register(Sales.class);

	@AutoClose
	private static @Nullable TransactionShop shared;

	private final TestDatabase database = TestDatabase.postgres();

	private final String key = "session-" + UUID.randomUUID();

	@AutoClose
	private final JdbcNodes open = new JdbcNodes();

	/** The application of most tests. */
	private TransactionShop shop() {
		if (shared == null) {
			shared = new TransactionShop(this.database.pool(4));
		}
		return shared;
	}

	private TransactionShop start(HikariDataSource pool, List<String> properties,
			Consumer<AnnotationConfigApplicationContext> beans) {
		return this.open.closing(new TransactionShop(pool, properties, beans));
	}

	private ChildJvm holder() {
		ChildJvm holder = this.open.closing(ChildJvm.start(TransactionShop.class, this.database.platform(),
				this.database.url(), this.database.user(), this.key));
		holder.expect("held");
		return holder;
	}

	/** A session that holds the number of the key. */
	private Connection session(String key) throws SQLException {
		Connection session = this.open
			.closing(DriverManager.getConnection(this.database.url(), this.database.user(), ""));
		session.setAutoCommit(false);
		session.createStatement()
			.execute("SELECT pg_advisory_xact_lock(" + LockKeys.number("public", "distlock_lock", "distlock:", key)
					+ ")");
		return session;
	}

	private List<Integer> holders(String schema) {
		long number = LockKeys.number(schema, "distlock_lock", "distlock:", this.key);
		return this.database.direct()
			.queryForList("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
					+ " AND (classid::bigint << 32 | objid::bigint) = ?", Integer.class, number);
	}

	private int waiting() {
		return Objects.requireNonNull(this.database.direct()
			.queryForObject(
					"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND"
							+ " (classid::bigint << 32 | objid::bigint) = ?",
					Integer.class, LockKeys.number("public", "distlock_lock", "distlock:", this.key)));
	}

	@Test
	void theNumberOfAKeyDoesNotDependOnTheSchemaOfTheFirstTransaction() {
		TransactionShop shop = shop();
		shop.template.executeWithoutResult((status) -> {
			shop.jdbc.execute("SET LOCAL search_path = pg_catalog");
			shop.sales.once(this.key, () -> assertThat(holders("public")).isNotEmpty());
		});
	}

	@Test
	void aHolderThatIsKilledIsSucceededAtOnce() {
		TransactionShop shop = shop();
		ChildJvm holder = holder();
		CompletableFuture<String> next = CompletableFuture.supplyAsync(() -> shop.sales.waiting(this.key, () -> "ran"),
				(task) -> new Thread(task).start());
		await().atMost(SOON).until(() -> waiting() == 1);
		holder.kill();
		assertThat(next.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("ran");
	}

	@Test
	void aHolderThatIsStoppedKeepsTheKeyUntilTheDatabaseEndsItsSession() {
		TransactionShop shop = shop();
		ChildJvm holder = holder();
		holder.pause();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.take(this.key))
			.withMessageContaining("a transaction of another application instance");
		this.database.direct().execute("SELECT pg_terminate_backend(" + holders("public").get(0) + ")");
		assertThat(shop.sales.waiting(this.key, () -> "ran")).isEqualTo("ran");
	}

	@Test
	void theNumberIsThatOfTheModeConnectionAlsoBeforeTheTableIsMade() {
		shop().sales.waiting(this.key, () -> assertThat(holders("public")).hasSize(1));
		String schema = "later" + this.key.substring(8, 16);
		this.database.direct().execute("CREATE SCHEMA " + schema);
		start(this.database.pool(2, (settings) -> settings.setSchema(schema)), STORE, SALES).sales.waiting(this.key,
				() -> assertThat(holders(schema)).hasSize(1));
		start(this.database.pool(2), List.of("distlock.backend=transaction", "distlock.jdbc.schema=" + schema),
				SALES).sales
			.waiting(this.key, () -> assertThat(holders(schema)).hasSize(1));
	}

	@Test
	void theLimitOfTheSessionIsRestoredAfterAWait() throws SQLException {
		TransactionShop shop = shop();
		Connection other = session(this.key);
		shop.template.executeWithoutResult((status) -> {
			shop.jdbc.execute("SET LOCAL lock_timeout = '59s'");
			assertThat(shop.sales.skipped(this.key, () -> "ran")).isNull();
			assertThat(shop.jdbc.queryForObject("SHOW lock_timeout", String.class)).isEqualTo("59s");
			CompletableFuture.runAsync(() -> {
				await().atMost(SOON).until(() -> waiting() == 1);
				assertThatNoException().isThrownBy(other::rollback);
			}, (task) -> new Thread(task).start());
			assertThat(shop.sales.waiting(this.key, () -> shop.jdbc.queryForObject("SHOW lock_timeout", String.class)))
				.isEqualTo("59s");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void listenersLearnOfARefusalByTheDatabaseWithTheRequestAndTheKeyOfTheStore(boolean tenant) throws SQLException {
		List<String> attempts = new CopyOnWriteArrayList<>();
		TransactionShop shop = start(this.database.pool(2), STORE, (context) -> {
			context.register(Sales.class);
			if (tenant) {
				context.registerBean(LockKeyPrefix.class, () -> (key) -> "tenant");
			}
			context.registerBean(LockListener.class, () -> new LockListener() {

				@Override
				public void onAttempted(Attempted event, LockRequest request) {
					attempts.add(event.outcome() + " " + event.key() + " " + request.key());
				}

			});
		});
		String whole = (tenant ? "tenant" + LockKeyPrefix.SEPARATOR : "") + this.key;
		session(whole);
		assertThat(shop.sales.skipped(this.key, () -> "ran")).isNull();
		assertThat(shop.sales.replaced(this.key, () -> "ran")).isEqualTo("otherwise");
		LockRequest once = LockRequest.of(this.key).waitTime(Duration.ZERO);
		shop.template.executeWithoutResult((status) -> assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> shop.registry.execute(once, () -> "ran")));
		String keys = " " + whole + " " + whole;
		assertThat(attempts).containsExactly("ACQUIRED" + keys, "SKIPPED" + keys, "ACQUIRED" + keys, "TIMEOUT" + keys,
				"ACQUIRED" + keys, "TIMEOUT" + keys);
	}

	/** With the fence, a lock without a token is not in its table. */
	@ParameterizedTest
	@ValueSource(strings = { "distlock.transaction.commit-guard=false", "distlock.transaction.fence=true" })
	void guardAndFenceChangeNothing(String property) {
		TransactionShop shop = start(this.database.pool(4),
				List.of("distlock.backend=transaction", property, "distlock.jdbc.initialize-schema=always"), SALES);
		shop.sales.waiting(this.key, () -> assertThat(holders("public")).hasSize(1));
		assertThat(holders("public")).isEmpty();
		JdbcTemplate direct = this.database.direct();
		if (property.contains("fence")) {
			assertThat(direct.queryForObject(
					"SELECT count(*) FROM distlock_fence WHERE convert_from(lock_key, 'UTF8')" + " LIKE ?",
					Integer.class, "%" + this.key))
				.isZero();
		}
	}

	/** Classes that the start refuses, each with what the message says. */
	private static final String REFUSED = """
			class NoTransaction { @DistributedLock public void run() { } } => write @Transactional on the method
			class Supports { @DistributedLock @Transactional(propagation = Propagation.SUPPORTS) public void run() { } } => REQUIRED, REQUIRES_NEW or MANDATORY
			class NotSupported { @DistributedLock @Transactional(propagation = Propagation.NOT_SUPPORTED) public void run() { } } => REQUIRED, REQUIRES_NEW or MANDATORY
			class Never { @DistributedLock @Transactional(propagation = Propagation.NEVER) public void run() { } } => REQUIRED, REQUIRES_NEW or MANDATORY
			class Nested { @DistributedLock @Transactional(propagation = Propagation.NESTED) public void run() { } } => REQUIRED, REQUIRES_NEW or MANDATORY
			class ReadOnly { @DistributedLock @Transactional(readOnly = true) public void run() { } } => remove readOnly
			class Repeatable { @DistributedLock @Transactional(isolation = Isolation.REPEATABLE_READ) public void run() { } } => remove isolation
			class Lease { @DistributedLock(leaseTime = "5s") @Transactional public void run() { } } => has no lease: leave both out
			class MinHold { @DistributedLock(minHold = "5s") @Transactional public void run() { } } => has no lease: leave both out
			class Permits { @DistributedLock(permits = "2") @Transactional public void run() { } } => leave permits out
			class Fair { @DistributedLock(fair = true) @Transactional public void run() { } } => leave fair out
			class Reader { @DistributedLock(mode = LockMode.READ) @Transactional public void run() { } } => use one of [EXCLUSIVE]
			class Token { @DistributedLock @Transactional public void run(@FencingToken long token) { } } => has no token: remove it
			class Later { @DistributedLock @Transactional public CompletableFuture<String> run() { return null; } } => lock a synchronous method
			class OtherManager { @DistributedLock @Transactional("other") public void run() { } } => does not work with the DataSource of the store
			@Qualifier("other") class OtherManagerOfItsClass { @DistributedLock @Transactional public void run() { } } => does not work with the DataSource of the store
			""";

	private static final PageCode CODE = PageCode.of(List.of(),
			new CodeBlock("refusals", 1, "java", true, REFUSED.replaceAll(" => .*", "")));

	static Stream<Arguments> refusals() {
		return REFUSED.lines()
			.map((line) -> line.split(" => "))
			.map((row) -> Arguments.of(CODE.type(row[0].replaceFirst(".*class (\\w+) .*", "$1")), row[1]));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("refusals")
	void theStartSaysWhatDoesNotFit(Class<?> bean, String remedy) {
		assertThat(failureOf(STORE, bean)).isInstanceOf(LockDefinitionException.class)
			.hasMessageContaining(remedy)
			.hasMessageContaining("'transaction'")
			.hasMessageContaining(bean.getSimpleName());
	}

	@Test
	void theStartRefusesToReleaseBeforeTheCommit() {
		assertThat(failureOf(List.of("distlock.backend=transaction", "distlock.transaction.on-active=release"),
				Sales.class))
			.hasMessageContaining("remove distlock.transaction.on-active=release");
	}

	private Throwable failureOf(List<String> properties, Class<?> bean) {
		return failureOf(properties, (context) -> {
			context.setClassLoader(CODE.loader());
			context.register(bean);
		});
	}

	private Throwable failureOf(List<String> properties, Consumer<AnnotationConfigApplicationContext> beans) {
		return NestedExceptionUtils
			.getMostSpecificCause(catchThrowable(() -> start(TestDatabase.h2().pool(2), properties, (context) -> {
				beans.accept(context);
				context.registerBean("other", JdbcTransactionManager.class,
						() -> new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:other")),
						(definition) -> definition.setFallback(true));
			})));
	}

	/** As {@code <tx:annotation-driven transaction-manager="other"/>} does. */
	@Test
	void theStartRefusesAnInterceptorThatNamesAManagerOfAnotherDatabase() {
		assertThat(failureOf(STORE, (context) -> {
			context.register(Sales.class);
			context.addBeanFactoryPostProcessor((factory) -> factory.addBeanPostProcessor(new OtherManagerByName()));
		})).isInstanceOf(LockDefinitionException.class)
			.hasMessageContaining("does not work with the DataSource of the store");
	}

	@Test
	void aBeanThatIsCreatedLaterIsRefusedWhenItIsCalled() {
		TransactionShop shop = start(TestDatabase.h2().pool(2), STORE, (context) -> context
			.registerBean(WithoutTransaction.class, (definition) -> definition.setLazyInit(true)));
		WithoutTransaction late = shop.context.getBean(WithoutTransaction.class);
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(late::run)
			.withMessageContaining("write @Transactional on the method");
	}

	@Test
	void theStoreMayBeThatOfSingleMethods() {
		TransactionShop shop = start(TestDatabase.h2().pool(2),
				List.of("distlock.backend=local", "distlock.transaction.enabled=true"),
				(context) -> context.register(Named.class, WithoutTransaction.class));
		shop.context.getBean(Named.class).run();
		shop.context.getBean(WithoutTransaction.class).run();
	}

	/** The default of a session may be stronger, which the start does not know. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aSessionWithAStrongerIsolationIsRefusedAtTheBegin(boolean isH2) {
		TransactionShop shop = start((isH2 ? TestDatabase.h2() : this.database).pool(2,
				(settings) -> settings.setTransactionIsolation("TRANSACTION_REPEATABLE_READ")), STORE, SALES);
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> shop.take("isolated"))
			.withMessageContaining("READ COMMITTED");
		assertThat(Objects.requireNonNull(shop.pool.getHikariPoolMXBean()).getActiveConnections()).isZero();
	}

	private static final class OtherManagerByName implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String name) {
			if (bean instanceof TransactionInterceptor interceptor) {
				interceptor.setTransactionManagerBeanName("other");
			}
			return bean;
		}

	}

	static class Named {

		@DistributedLock(registry = "transaction")
		@Transactional
		public void run() {
		}

	}

	static class WithoutTransaction {

		@DistributedLock
		public void run() {
		}

	}

	/** What the stores send from time to time is less than one for each. */
	private static final int CYCLES = 50;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	@Test
	void onPostgreSqlTheTransactionSendsWhatALockByHandSends() throws Exception {
		TestDatabase granted = this.database.granting(List.of("SELECT", "INSERT", "UPDATE", "DELETE"));
		this.database.direct().execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
		try (TransactionShop shop = oneConnection(granted); JdbcNodes nodes = new JdbcNodes()) {
			Runnable own = own(shop);
			Map<String, Runnable> cycles = cycles(shop, own,
					() -> shop.jdbc.queryForList("SELECT pg_advisory_xact_lock(1)"));
			BackendLockRegistry lease = nodes.registry(shop.pool, MINUTE, MINUTE);
			BackendLockRegistry connection = nodes.registry(
					JdbcBackend.connection(shop.pool, JdbcUnderTest.CONNECTION_SETTINGS, TimeSource.SYSTEM), MINUTE,
					MINUTE, Duration.ofMillis(50));
			cycles.put("lease", () -> locked(lease, () -> shop.template.executeWithoutResult((status) -> own.run())));
			cycles.put("connection",
					() -> locked(connection, () -> shop.template.executeWithoutResult((status) -> own.run())));
			Map<String, Long> statements = new LinkedHashMap<>();
			cycles.forEach((name, cycle) -> statements.put(name, onPostgreSql(granted.user(), cycle)));
			assertThat(statements).isEqualTo(
					Map.of("bare", 3L, "by hand", 4L, "transaction", 4L, "joined", 4L, "lease", 5L, "connection", 6L));
		}
	}

	@Test
	@Tag(Installed.TAG)
	void onMariaDbTheTransactionSendsWhatALockByHandSends() {
		try (TransactionShop shop = oneConnection(TestDatabase.mariaDb())) {
			Map<String, Runnable> cycles = cycles(shop, own(shop),
					() -> shop.jdbc.update("SET STATEMENT innodb_lock_wait_timeout = 60 FOR"
							+ " INSERT INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at)"
							+ " VALUES ('hand', '', 0, 0, 0) ON DUPLICATE KEY UPDATE lock_key = lock_key"));
			Map<String, Long> statements = new LinkedHashMap<>();
			cycles.forEach((name, cycle) -> statements.put(name, onMariaDb(shop.jdbc, cycle)));
			assertThat(statements).isEqualTo(Map.of("bare", 4L, "by hand", 5L, "transaction", 5L, "joined", 5L));
		}
	}

	/** One connection, which is one session. */
	private static TransactionShop oneConnection(TestDatabase database) {
		return new TransactionShop(
				database.pool(1, (settings) -> settings.setTransactionIsolation("TRANSACTION_READ_COMMITTED")));
	}

	/** Of a table: drivers commit no transaction that has touched none. */
	private static Runnable own(TransactionShop shop) {
		return () -> shop.jdbc.queryForList("SELECT 1 FROM distlock_lock WHERE lock_key = 'own'");
	}

	private Map<String, Runnable> cycles(TransactionShop shop, Runnable own, Runnable byHand) {
		Map<String, Runnable> cycles = new LinkedHashMap<>();
		cycles.put("bare", () -> shop.template.executeWithoutResult((status) -> own.run()));
		cycles.put("by hand", () -> shop.template.executeWithoutResult((status) -> {
			byHand.run();
			own.run();
		}));
		cycles.put("transaction", () -> shop.sales.once(this.key, own));
		cycles.put("joined", () -> shop.template.executeWithoutResult((status) -> shop.sales.once(this.key, () -> {
			own.run();
			shop.take(this.key);
		})));
		return cycles;
	}

	private void locked(LockRegistry registry, Runnable work) {
		ThrowingSupplier.of(() -> registry.execute(LockRequest.of(this.key), Executors.callable(work))).get();
	}

	/**
	 * Without what was sent less than once in each cycle. A COMMIT, which the server does
	 * not count here, is one of a BEGIN.
	 */
	private static long onPostgreSql(String user, Runnable cycle) {
		cycle.run();
		JdbcTemplate counters = TestDatabase.postgres().direct();
		counters.queryForList("SELECT pg_stat_statements_reset(?::regrole::oid, 0, 0)::text", user);
		for (int i = 0; i < CYCLES; i++) {
			cycle.run();
		}
		return Objects.requireNonNull(counters.queryForObject(
				"SELECT sum(s.calls / ? * CASE query WHEN 'BEGIN' THEN 2 ELSE 1 END) FROM pg_stat_statements s"
						+ " WHERE s.userid = ?::regrole::oid",
				Long.class, CYCLES, user));
	}

	private static long onMariaDb(JdbcTemplate session, Runnable cycle) {
		cycle.run();
		long before = questions(session);
		for (int i = 0; i < CYCLES; i++) {
			cycle.run();
		}
		return (questions(session) - before) / CYCLES;
	}

	private static long questions(JdbcTemplate session) {
		return Objects.requireNonNull(
				session.queryForObject("SHOW SESSION STATUS LIKE 'Questions'", (row, number) -> row.getLong("Value")));
	}

}
