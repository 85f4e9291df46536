package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import io.github.distlock.registry.PrefixedLockRegistry;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.github.distlock.transaction.TransactionBoundary;
import io.github.distlock.transaction.TransactionFence;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.api.Test;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.function.ThrowingSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Transactions that the database refuses, or lets wait, because of the tokens of locks in
 * Redis. Without the guard, unless a test says so.
 */
abstract class FenceCases {

	@AutoClose
	private static RedisNodes redis;

	private static LockRegistry registry;

	@Parameter(0)
	@SuppressWarnings("NullAway.Init")
	Database database;

	@Parameter(1)
	boolean jpa;

	private final String key = "fence-" + UUID.randomUUID();

	private final LockRequest request = LockRequest.of(this.key).waitTime(Duration.ofSeconds(20));

	@AutoClose
	private final JdbcNodes open = new JdbcNodes();

	private final TransactionFence fence = fence("distlock_fence", List.of());

	private HikariDataSource pool;

	private JdbcTemplate jdbc;

	private TransactionTemplate template;

	private volatile @Nullable Runnable onCommit;

	@BeforeAll
	static void startRedis() {
		redis = RedisNodes.start();
		registry = redis.node();
	}

	@BeforeEach
	void stock() throws Exception {
		this.pool = this.open.closing(database().pool(4));
		// With the table of the fence.
		assertThat(this.fence.verify()).contains("no transaction manager");
		script(this.pool);
		DataSource pausing = new UnknownPool(this.pool, (connection, method, argument) -> {
			Runnable action = this.onCommit;
			if (method.equals("commit") && action != null) {
				this.onCommit = null;
				action.run();
			}
		});
		this.jdbc = new JdbcTemplate(pausing);
		this.jdbc.execute("CREATE TABLE IF NOT EXISTS fence_stock (sku VARCHAR(64) PRIMARY KEY, quantity INT)");
		this.jdbc.update("INSERT INTO fence_stock VALUES (?, 10)", this.key);
		this.template = new TransactionTemplate(manager(pausing, this.fence, false));
		assertThat(this.fence.verify()).isEmpty();
	}

	@AfterEach
	void nothingIsLeft() {
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		await().atMost(Duration.ofSeconds(30)).until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	private TestDatabase database() {
		return this.database.open();
	}

	private void script(DataSource dataSource) {
		new ResourceDatabasePopulator(
				new ClassPathResource("io/github/distlock/transaction/fence-" + database().platform() + ".sql"))
			.execute(dataSource);
	}

	private TransactionFence fence(String table, List<String> required) {
		return new TransactionFence("distlock:", table, required, (dataSource) -> "", true, null);
	}

	private AbstractPlatformTransactionManager manager(DataSource dataSource, TransactionFence fence, boolean guarded) {
		AbstractPlatformTransactionManager manager;
		if (this.jpa) {
			LocalContainerEntityManagerFactoryBean jpa = new LocalContainerEntityManagerFactoryBean();
			jpa.setDataSource(dataSource);
			jpa.setManagedTypes(PersistenceManagedTypes.of());
			jpa.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			jpa.afterPropertiesSet();
			this.open.closing(jpa::destroy);
			JpaTransactionManager entities = new JpaTransactionManager(Objects.requireNonNull(jpa.getObject()));
			entities.setJpaDialect(new HibernateJpaDialect());
			entities.setNestedTransactionAllowed(true);
			entities.afterPropertiesSet();
			manager = entities;
		}
		else {
			manager = new JdbcTransactionManager(dataSource);
		}
		new CommitGuard(() -> new CommitTerms(guarded, Duration.ZERO), () -> fence)
			.postProcessAfterInitialization(manager, "transactions");
		return manager;
	}

	private TransactionTemplate with(int propagation, boolean readOnly) {
		TransactionTemplate other = new TransactionTemplate(
				Objects.requireNonNull(this.template.getTransactionManager()));
		other.setPropagationBehavior(propagation);
		other.setReadOnly(readOnly);
		return other;
	}

	private TransactionTemplate requiresNew() {
		return with(TransactionDefinition.PROPAGATION_REQUIRES_NEW, false);
	}

	private int stockNow() {
		return Objects.requireNonNull(
				this.jdbc.queryForObject("SELECT quantity FROM fence_stock WHERE sku = ?", Integer.class, this.key));
	}

	private void sellInTransaction(int amount, Runnable read) {
		this.template.executeWithoutResult((status) -> {
			int quantity = stockNow();
			read.run();
			this.jdbc.update("UPDATE fence_stock SET quantity = ? WHERE sku = ?", quantity - amount, this.key);
		});
	}

	private void sell(LockRequest lock, int amount) {
		locked(lock, () -> sellInTransaction(amount, () -> {
		}));
	}

	private static void locked(LockRequest lock, Runnable work) {
		locked(registry, lock, work);
	}

	private static void locked(LockRegistry registry, LockRequest lock, Runnable work) {
		ThrowingSupplier.of(() -> registry.execute(lock, Executors.callable(work))).get();
	}

	private static CompletableFuture<Void> elsewhere(Runnable work) {
		return CompletableFuture.runAsync(work).orTimeout(30, TimeUnit.SECONDS);
	}

	/** Has the effect of a pause of the process. */
	private static void outliveTheLease() {
		outliveTheLease(LockContext.current().orElseThrow());
	}

	private void letALaterHolderSell() {
		outliveTheLease();
		elsewhere(() -> sell(this.request, 2)).join();
	}

	private static void outliveTheLease(HeldLock lock) {
		ControlledLock.expireAfter(lock, Duration.ofMillis(100));
		await().atMost(Duration.ofSeconds(30)).until(() -> !lock.isHeld());
	}

	private long rows() {
		return Objects.requireNonNull(this.jdbc.queryForObject("SELECT count(*) FROM distlock_fence", Long.class));
	}

	private long passed() {
		return Objects.requireNonNull(this.fence.outcomes().get("passed")).get();
	}

	/**
	 * Also if the later holder only reads, and has read what the paused one would write.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aHolderThatIsPausedBeforeItsTransactionIsRefusedBeforeItsFirstStatement(boolean readOnly) {
		TransactionTemplate reading = with(TransactionDefinition.PROPAGATION_REQUIRED, true);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked(this.request, () -> {
			outliveTheLease();
			elsewhere(readOnly ? () -> locked(this.request, () -> reading.executeWithoutResult((status) -> stockNow()))
					: () -> sell(this.request, 2))
				.join();
			sellInTransaction(1, () -> {
				throw new AssertionError("read");
			});
		})).withMessageContaining(this.key).withMessageContaining("a later holder").withMessageContaining("token");
		assertThat(stockNow()).isEqualTo(readOnly ? 10 : 8);
		assertThat(this.fence.outcomes().get("refused")).hasValue(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void theNextHolderWaitsForATransactionThatIsOpenAndReadsWhatItCommits(boolean readOnly) {
		AtomicReference<CompletableFuture<Void>> next = new AtomicReference<>();
		AtomicInteger seen = new AtomicInteger();
		this.onCommit = () -> {
			outliveTheLease();
			CountDownLatch entered = new CountDownLatch(1);
			next.set(elsewhere(() -> locked(this.request, () -> {
				entered.countDown();
				with(TransactionDefinition.PROPAGATION_REQUIRED, readOnly)
					.executeWithoutResult((status) -> seen.set(stockNow()));
			})));
			assertThat(TransactionStoreCases.awaitQuietly(entered)).isTrue();
		};
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> sell(this.request, 1))
			.withMessageContaining("The transaction has committed");
		next.get().join();
		assertThat(seen).hasValue(9);
	}

	@Test
	void withTheGuardAHolderThatIsPausedBeforeTheCheckIsRolledBack() throws Exception {
		this.template = new TransactionTemplate(
				manager(Objects.requireNonNull(this.jdbc.getDataSource()), this.fence, true));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> locked(this.request, () -> sellInTransaction(1, FenceCases::outliveTheLease)))
			.withMessageContaining("rolled back");
		sell(this.request, 2);
		assertThat(stockNow()).isEqualTo(8);
	}

	@Test
	void whatWasReadReadOnlyIsNotWrittenAfterALaterHolder() {
		TransactionTemplate reading = with(TransactionDefinition.PROPAGATION_REQUIRED, true);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked(this.request, () -> {
			int quantity = Objects.requireNonNull(reading.<Integer>execute((status) -> stockNow()));
			long written = passed();
			reading.executeWithoutResult((status) -> stockNow());
			assertThat(passed()).as("committed before").isEqualTo(written);
			letALaterHolderSell();
			this.template.executeWithoutResult((status) -> this.jdbc
				.update("UPDATE fence_stock SET quantity = ? WHERE sku = ?", quantity - 1, this.key));
		}));
		assertThat(stockNow()).isEqualTo(8);
	}

	@Test
	void refusalsLeaveNothingBehind() {
		refuse(50);
	}

	private void refuse(int times) {
		locked(this.request, () -> {
			letALaterHolderSell();
			for (int i = 0; i < times; i++) {
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> sellInTransaction(1, () -> {
				}));
				assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
			}
			throw new LockLostException("The lock is lost");
		}, LockLostException.class);
	}

	@Test
	void aRefusedInnerTransactionLeavesTheOuterOneAsItWas() {
		refuseInner(20);
	}

	private void refuseInner(int times) {
		this.template.executeWithoutResult((outer) -> {
			this.jdbc.update("UPDATE fence_stock SET quantity = 5 WHERE sku = ?", this.key);
			locked(this.request, () -> {
				outliveTheLease();
				elsewhere(() -> locked(this.request, () -> requiresNew().executeWithoutResult((status) -> rows())))
					.join();
				for (int i = 0; i < times; i++) {
					assertThatExceptionOfType(LockLostException.class)
						.isThrownBy(() -> requiresNew().executeWithoutResult((status) -> stockNow()));
				}
				assertThat(stockNow()).isEqualTo(5);
				throw new LockLostException("The lock is lost");
			}, LockLostException.class);
			assertThat(outer.isRollbackOnly()).isFalse();
		});
		assertThat(stockNow()).isEqualTo(5);
	}

	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void aThousandRefusalsLeaveAPoolOfTwoAsItWas() throws Exception {
		this.pool.setMaximumPoolSize(2);
		refuse(1000);
		refuseInner(1000);
		assertThat(this.pool.getHikariPoolMXBean().getTotalConnections()).isLessThanOrEqualTo(2);
		try (Connection one = this.pool.getConnection(); Connection other = this.pool.getConnection()) {
			assertThat(one.getAutoCommit() && other.getAutoCommit()).isTrue();
		}
	}

	/** Some stores let several transactions of one key run at the same time. */
	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void firstWritesOfNeighbouringAndEqualKeysDoNotDeadlock() {
		assumeTrue(!this.jpa && this.database != Database.H2);
		this.pool.setMaximumPoolSize(8);
		List<RedisNodes> stores = Stream.generate(RedisNodes::start).limit(4).toList();
		stores.forEach(this.open::closing);
		List<Consumer<Integer>> jvms = stores.stream().map(RedisNodes::node).map(this::firstWrites).toList();
		AtomicInteger next = new AtomicInteger();
		Runnable thread = () -> {
			for (int i; (i = next.getAndIncrement()) < 10_000;) {
				jvms.get(i % 4).accept(i / 4);
			}
		};
		ExecutorService threads = Executors.newFixedThreadPool(8);
		this.open.closing(threads::shutdownNow);
		CompletableFuture
			.allOf(Stream.generate(() -> CompletableFuture.runAsync(thread, threads))
				.limit(8)
				.toArray(CompletableFuture[]::new))
			.join();
		assertThat(rows()).isGreaterThan(2000);
	}

	/** The half of the keys in their order, the other half between them. */
	private Consumer<Integer> firstWrites(LockRegistry store) {
		TransactionTemplate writing = new TransactionTemplate(
				manager(Objects.requireNonNull(this.jdbc.getDataSource()), fence("distlock_fence", List.of()), false));
		return (number) -> {
			int place = (number < 1250) ? 2 * number : (number * 737 % 1250) * 2 + 1;
			try {
				locked(store, LockRequest.of(this.key + (1000 + place)),
						() -> writing.executeWithoutResult((status) -> {
							long token = LockContext.current().orElseThrow().fencingToken();
							assertThat(this.jdbc.queryForObject("SELECT count(*) FROM distlock_fence WHERE token = ?",
									Long.class, token))
								.isPositive();
							if (ThreadLocalRandom.current().nextInt(10) == 0) {
								status.setRollbackOnly();
							}
						}));
			}
			catch (LockLostException ex) {
				// Another store gave a higher token.
			}
		};
	}

	private static void locked(LockRequest lock, Runnable work, Class<? extends Throwable> expected) {
		assertThatExceptionOfType(expected).isThrownBy(() -> locked(lock, work));
	}

	@Test
	void aTransactionUnderTheSameGrantDoesNotWaitForItsOwnCaller() {
		locked(this.request, () -> this.template.executeWithoutResult((outer) -> {
			long written = passed();
			requiresNew().executeWithoutResult((inner) -> stockNow());
			List<HeldLock> locks = LockContext.all();
			elsewhere(() -> {
				try (LockContext.Scope scope = LockContext.openAll(locks)) {
					this.template.executeWithoutResult((child) -> stockNow());
				}
			}).join();
			assertThat(passed()).isEqualTo(written);
		}));
	}

	@Test
	void aTransactionThatBeginsAfterTheCommitWritesForItself() {
		AtomicReference<Long> written = new AtomicReference<>();
		locked(this.request, () -> this.template.executeWithoutResult((outer) -> {
			long before = passed();
			TransactionStoreCases.afterCommit(() -> {
				requiresNew().executeWithoutResult((inner) -> stockNow());
				written.set(passed() - before);
			});
		}));
		assertThat(written).hasValue(1L);
	}

	/** Hibernate has none. */
	private void assumeSavepoints() {
		assumeFalse(this.jpa);
	}

	@Test
	void theSavepointOfANestedTransactionTakesNothingOfTheFenceAlong() {
		assumeSavepoints();
		this.template.executeWithoutResult((outer) -> {
			TransactionTemplate nested = with(TransactionDefinition.PROPAGATION_NESTED, false);
			HeldLock[] kept = new HeldLock[1];
			nested.executeWithoutResult((inner) -> {
				kept[0] = registry.acquire(this.request);
				TransactionBoundary.closeAfterCompletion(List.of(kept[0]));
				assertThat(rows()).isPositive();
				inner.setRollbackOnly();
			});
			assertThat(token()).isEqualTo(kept[0].fencingToken());
		});
		assertThat(token()).isPositive();
	}

	@Test
	void theSavepointOfTheApplicationTakesNothingOfTheFenceAlong() {
		assumeSavepoints();
		HeldLock kept = registry.acquire(this.request);
		this.template.executeWithoutResult((outer) -> {
			Object savepoint = outer.createSavepoint();
			TransactionBoundary.closeAfterCompletion(List.of(kept));
			outer.rollbackToSavepoint(savepoint);
		});
		assertThat(token()).isEqualTo(kept.fencingToken());
	}

	private long token() {
		return Objects.requireNonNull(
				this.jdbc.queryForObject("SELECT max(token) FROM distlock_fence WHERE token > 0", Long.class));
	}

	@Test
	void aKeptLockThatIsRefusedRollsItsTransactionBack() {
		HeldLock late = registry.acquire(this.request);
		outliveTheLease(late);
		elsewhere(() -> sell(this.request, 2)).join();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult((status) -> {
				this.jdbc.update("UPDATE fence_stock SET quantity = 0 WHERE sku = ?", this.key);
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> TransactionBoundary.closeAfterCompletion(List.of(late)));
			}))
			.withMessageContaining("kept for the transaction was refused");
		assertThat(stockNow()).isEqualTo(8);
	}

	@Test
	void eachTransactionOfAGrantWritesAlsoAfterOneThatFailedToCommit() {
		locked(this.request, () -> {
			long before = passed();
			this.template.executeWithoutResult((status) -> System.gc());
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> this.template.executeWithoutResult((status) -> TransactionSynchronizationManager
					.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void beforeCommit(boolean readOnly) {
							throw new IllegalStateException("flush");
						}

					})));
			this.template.executeWithoutResult((status) -> stockNow());
			assertThat(passed()).isEqualTo(before + 3);
		});
	}

	@Test
	void aTransactionBesideThatOfTheSameGrantIsRefusedAfterALaterHolder() {
		CountDownLatch parentEnded = new CountDownLatch(1);
		CountDownLatch read = new CountDownLatch(1);
		AtomicReference<CompletableFuture<Void>> child = new AtomicReference<>();
		locked(this.request, () -> {
			List<HeldLock> locks = LockContext.all();
			this.template.executeWithoutResult((status) -> {
				child.set(elsewhere(() -> {
					try (LockContext.Scope scope = LockContext.openAll(locks)) {
						sellInTransaction(1, () -> {
							read.countDown();
							assertThat(TransactionStoreCases.awaitQuietly(parentEnded)).isTrue();
						});
					}
				}));
				assertThat(TransactionStoreCases.awaitQuietly(read)).isTrue();
			});
			letALaterHolderSell();
			parentEnded.countDown();
			assertThatExceptionOfType(CompletionException.class).isThrownBy(child.get()::join)
				.withCauseInstanceOf(LockLostException.class);
			throw new LockLostException("The lock is lost");
		}, LockLostException.class);
		assertThat(stockNow()).isEqualTo(8);
	}

	@Test
	void inAReadOnlyTransactionAKeptLockWritesNothing() {
		long before = passed();
		with(TransactionDefinition.PROPAGATION_REQUIRED, true).executeWithoutResult(
				(status) -> TransactionBoundary.closeAfterCompletion(List.of(registry.acquire(this.request))));
		assertThat(passed()).isEqualTo(before);
	}

	@Test
	void theWaitForTheRowEndsWithTheTimeOutOfTheTransactionOrWithTheLease() {
		TransactionTemplate hurried = with(TransactionDefinition.PROPAGATION_REQUIRED, false);
		hurried.setTimeout(8);
		LockRequest other = LockRequest.of(this.key + "o");
		locked(other, () -> locked(this.request, () -> this.template.executeWithoutResult((status) -> {
			LockContext.all().forEach((held) -> held.closeAsync().join());
			CompletableFuture<Void> late = elsewhere(
					() -> locked(this.request, () -> hurried.executeWithoutResult((hurry) -> rows())));
			CompletableFuture<Void> lost = elsewhere(() -> sell(other.leaseTime(Duration.ofSeconds(8)), 2));
			assertThatExceptionOfType(CompletionException.class).isThrownBy(late::join)
				.withCauseInstanceOf(LockBackendException.class)
				.withMessageContaining("A transaction of an earlier holder is still open");
			assertThatExceptionOfType(CompletionException.class).isThrownBy(lost::join)
				.withCauseInstanceOf(LockLostException.class)
				.withMessageContaining("while it waited for the row");
			throw new IllegalStateException("ends here");
		})), IllegalStateException.class);
	}

	@Test
	void theSessionHasItsOwnLimitAfterwards() {
		String limit = switch (this.database) {
			case POSTGRESQL -> "SHOW lock_timeout";
			case H2 -> "SELECT LOCK_TIMEOUT()";
			case MARIADB -> "SELECT @@innodb_lock_wait_timeout";
		};
		AtomicReference<@Nullable String> before = new AtomicReference<>();
		this.template.executeWithoutResult((status) -> before.set(this.jdbc.queryForObject(limit, String.class)));
		locked(this.request.leaseTime(Duration.ofMinutes(1)), () -> this.template.executeWithoutResult(
				(status) -> assertThat(this.jdbc.queryForObject(limit, String.class)).isEqualTo(before.get())));
	}

	@Test
	void whatDoesNotExcludeAllOthersWritesNothing() {
		long before = passed();
		locked(LockRequest.of(this.key).mode(LockMode.READ),
				() -> this.template.executeWithoutResult((status) -> rows()));
		locked(LockRequest.of(this.key + "p").permits(2), () -> this.template.executeWithoutResult((status) -> rows()));
		try (HeldLock acquired = registry.acquire(LockRequest.of(this.key + "a"))) {
			this.template.executeWithoutResult((status) -> assertThat(acquired.isHeld()).isTrue());
		}
		assertThat(passed()).isEqualTo(before);
	}

	@Test
	void aCompositeLockHasOneRowAndALongKeyHasOne() {
		long before = rows();
		BackendLockRegistry local = CheckedEnvironment.registry(
				new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(), TimeSource.SYSTEM);
		local.start();
		this.open.closing(local::shutdown);
		locked(local, LockRequest.of(this.key),
				() -> this.template.executeWithoutResult((status) -> assertThat(rows()).isEqualTo(before)));
		locked(new CompositeLockRegistry(local, registry, Duration.ofSeconds(5), TimeSource.SYSTEM,
				new LockObservers(() -> null)), this.request,
				() -> this.template.executeWithoutResult((status) -> assertThat(rows()).isEqualTo(before + 1)));
		locked(LockRequest.of("k".repeat(512)), () -> this.template.executeWithoutResult((status) -> stockNow()));
		assertThat(rows()).isBetween(before + 1, before + 2);
	}

	@Test
	void aTransactionInAnotherDatabaseIsFencedThere() throws Exception {
		try (HikariDataSource other = database().pool(2)) {
			TransactionTemplate second = new TransactionTemplate(manager(other, this.fence, false));
			second.setReadOnly(true);
			long before = passed();
			locked(this.request, () -> {
				this.template.executeWithoutResult((status) -> assertThat(passed()).isEqualTo(before + 1));
				second.executeWithoutResult((status) -> assertThat(passed()).isEqualTo(before + 2));
			});
		}
	}

	@Test
	void twoTenantsHaveTwoRows() {
		long before = rows();
		for (String tenant : List.of("a", "b")) {
			locked(new PrefixedLockRegistry(registry, (ignored) -> tenant), this.request,
					() -> this.template.executeWithoutResult((status) -> stockNow()));
		}
		assertThat(rows()).isEqualTo(before + 2);
	}

	@Test
	void withoutTheTableEachTransactionUnderALockIsRefusedWithTheScript() throws Exception {
		TransactionFence missing = fence("distlock_missing", List.of("transactions"));
		TransactionTemplate unusable = new TransactionTemplate(manager(this.pool, missing, false));
		assertThat(missing.verify()).contains("'transactions'").contains("transaction/fence-");
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> locked(this.request, () -> unusable.executeWithoutResult((status) -> stockNow())))
			.withMessageContaining("distlock_missing")
			.withMessageContaining("transaction/fence-");
		unusable.executeWithoutResult((status) -> stockNow());
		assertThat(fence("distlock_fence", List.of("other")).verify()).contains("[other]");
	}

}
