package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.HeldLock;
import io.github.distlock.LockAssert;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.RunResult;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.transaction.TransactionLockRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.function.ThrowingSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks of the store {@code transaction} of two applications with one database.
 */
abstract class TransactionStoreCases {

	final String key = "transaction-" + UUID.randomUUID();

	/** Applications that tests have left, until the end of the class. */
	private static final Map<Database, Queue<TransactionShop>> idle = new ConcurrentHashMap<>();

	private final List<TransactionShop> used = new ArrayList<>();

	@Parameter
	@SuppressWarnings("NullAway.Init")
	Database database;

	@AfterEach
	void nothingIsLeft() {
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		for (TransactionShop shop : this.used) {
			assertThat(inJvm(shop).snapshot().isIdle()).isTrue();
			idle().add(shop);
		}
	}

	@AfterAll
	static void closeIdle() {
		idle.values().forEach((shops) -> {
			for (TransactionShop shop = shops.poll(); shop != null; shop = shops.poll()) {
				shop.close();
			}
		});
	}

	private Queue<TransactionShop> idle() {
		return idle.computeIfAbsent(this.database, (absent) -> new ConcurrentLinkedQueue<>());
	}

	/** An application that no other one of the test is. */
	TransactionShop shop() {
		TransactionShop left = idle().poll();
		TransactionShop shop = (left != null) ? left : newShop(8);
		this.used.add(shop);
		return shop;
	}

	private TransactionShop newShop(int connections) {
		return new TransactionShop(this.database.open()
			.pool(connections, (settings) -> settings.setTransactionIsolation("TRANSACTION_READ_COMMITTED")));
	}

	private static BackendLockRegistry inJvm(TransactionShop shop) {
		return (BackendLockRegistry) ((TransactionLockRegistry) shop.registry).registry();
	}

	/** Holds a lock in a transaction of another thread until it is closed. */
	Held hold(TransactionShop shop, String key) {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<?> done = CompletableFuture.runAsync(() -> shop.sales.waiting(key, () -> {
			entered.countDown();
			return awaitQuietly(end);
		}), (task) -> new Thread(task).start());
		assertThat(awaitQuietly(entered)).isTrue();
		return new Held(end, done);
	}

	record Held(CountDownLatch end, CompletableFuture<?> done) implements AutoCloseable {

		@Override
		public void close() {
			this.end.countDown();
			this.done.orTimeout(60, TimeUnit.SECONDS).join();
		}

	}

	static boolean awaitQuietly(CountDownLatch latch) {
		return ThrowingSupplier.of(() -> latch.await(60, TimeUnit.SECONDS)).get();
	}

	boolean isFree(TransactionShop shop, String key) {
		try {
			shop.take(key);
			return true;
		}
		catch (LockNotAcquiredException ex) {
			return false;
		}
	}

	@Test
	void twoApplicationsExcludeEachOtherUntilTheCommit() throws Exception {
		TransactionShop one = shop();
		TransactionShop other = shop();
		makeStock(one, 400);
		ExecutorService callers = Executors.newFixedThreadPool(16);
		List<CompletableFuture<?>> calls = new ArrayList<>();
		for (int i = 0; i < 400; i++) {
			TransactionShop shop = (i % 2 == 0) ? one : other;
			calls.add(CompletableFuture.runAsync(() -> shop.sales.waiting(this.key, () -> {
				int rest = stock(shop) - 1;
				return shop.jdbc.update("UPDATE transaction_stock SET quantity = ? WHERE sku = ?", rest, this.key);
			}), callers));
		}
		CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
		callers.shutdown();
		assertThat(stock(one)).isZero();
	}

	private void makeStock(TransactionShop shop, int quantity) {
		shop.jdbc.execute("CREATE TABLE IF NOT EXISTS transaction_stock (sku VARCHAR(64) PRIMARY KEY, quantity INT)");
		shop.jdbc.update("INSERT INTO transaction_stock VALUES (?, ?)", this.key, quantity);
	}

	private int stock(TransactionShop shop) {
		return Objects.requireNonNull(shop.jdbc.queryForObject("SELECT quantity FROM transaction_stock WHERE sku = ?",
				Integer.class, this.key));
	}

	@Test
	void aCallWhoseTransactionWouldJoinOneThatIsOverIsRefused() {
		TransactionShop shop = shop();
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> shop.template.executeWithoutResult((status) -> afterCommit(() -> {
				shop.sales.anew(this.key, () -> shop.take(this.key));
				shop.take(this.key);
			})))
			.withMessageContaining("Sales.once")
			.withMessageContaining("make its propagation REQUIRES_NEW");
	}

	@Test
	void aMethodThatRanWithoutItsLockSaysSo() {
		try (TransactionShop shop = newShop(2)) {
			shop.context.getBean(JdbcTransactionManager.class).setTransactionExecutionListeners(List.of());
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> shop.take(this.key))
				.withMessageContaining("It has run without the lock");
		}
	}

	@Test
	void aTransactionKeepsWhatItHasTakenBeforeARefusal() {
		TransactionShop one = shop();
		try (Held busy = hold(shop(), this.key + "-b")) {
			one.template.executeWithoutResult((status) -> {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> one.sales.both(List.of(this.key + "-a", this.key + "-b")));
				AtomicBoolean covered = new AtomicBoolean();
				one.sales.anew(this.key + "-a", () -> covered.set(true));
				assertThat(covered).isTrue();
			});
		}
	}

	@Test
	void theTimeOutOfATransactionEndsItsWait() {
		TransactionShop one = shop();
		try (Held busy = hold(shop(), this.key)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> one.sales.timed(this.key));
		}
	}

	@Test
	void aLockThatWasRolledBackToASavepointIsNotTakenAgainAtTheCommit() {
		TransactionShop one = shop();
		TransactionTemplate nested = template(one, TransactionDefinition.PROPAGATION_NESTED);
		List<Held> other = new ArrayList<>();
		one.template.executeWithoutResult((outer) -> {
			nested.executeWithoutResult((status) -> {
				one.take(this.key);
				one.take(this.key);
				status.setRollbackOnly();
			});
			other.add(hold(shop(), this.key));
		});
		other.forEach(Held::close);
	}

	@Test
	void aLockThatItsHolderClosesEarlyIsTakenFromItsTransactionByNoOtherCaller() {
		TransactionShop one = shop();
		assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> one.sales.waiting(this.key, () -> {
				LockContext.current().orElseThrow().close();
				assertThat(
						CompletableFuture.supplyAsync(() -> isFree(one, this.key), (task) -> new Thread(task).start()))
					.succeedsWithin(Duration.ofSeconds(60))
					.isEqualTo(false);
				return null;
			}))
			.withMessageContaining("closed before");
	}

	@Test
	void withoutTheLockTheCallerGetsWhatItsAnnotationSays() {
		TransactionShop one = shop();
		TransactionShop other = shop();
		try (Held held = hold(one, this.key)) {
			for (TransactionShop shop : List.of(one, other)) {
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.take(this.key))
					.withMessageContaining(this.key)
					.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("Sales.once"));
				assertThat(shop.sales.skipped(this.key, () -> "ran")).isNull();
				assertThat(shop.sales.replaced(this.key, () -> "ran")).isEqualTo("otherwise");
			}
		}
		assertThat(isFree(other, this.key)).isTrue();
		assertThat(other.sales.skipped(this.key, () -> "ran")).isEqualTo("ran");
	}

	/** Java writes numbers with the digits of that language. */
	@ParameterizedTest
	@ValueSource(strings = { "ar-EG", "fa" })
	void aLanguageWithOtherDigitsChangesNoStatement(String language) {
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag(language));
		try {
			TransactionShop one = shop();
			try (Held held = hold(shop(), this.key)) {
				assertThat(one.sales.skipped(this.key, () -> "ran")).isNull();
			}
			assertThat(isFree(one, this.key)).isTrue();
		}
		finally {
			Locale.setDefault(before);
		}
	}

	@Test
	void aRefusalInARunningTransactionLeavesItsWorkToItsCommit() {
		TransactionShop one = shop();
		TransactionShop other = shop();
		makeStock(one, 1);
		try (Held held = hold(one, this.key)) {
			String mine = this.key + "-mine";
			other.template.executeWithoutResult((status) -> {
				other.jdbc.update("UPDATE transaction_stock SET quantity = 0 WHERE sku = ?", this.key);
				assertThat(isFree(other, this.key)).isFalse();
				assertThat(other.sales.skipped(this.key, () -> "ran")).isNull();
				assertThat(other.sales.replaced(this.key, () -> "ran")).isEqualTo("otherwise");
				assertThat(other.sales.skipped(mine, () -> "ran")).isEqualTo("ran");
				assertThat(isFree(one, mine)).isFalse();
			});
			assertThat(isFree(one, mine)).isTrue();
			assertThat(stock(one)).isZero();
		}
	}

	@Test
	void anEqualExceptionOfTheMethodIsNotARefusal() {
		TransactionShop one = shop();
		LockNotAcquiredException own = new LockNotAcquiredException("own");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> one.sales.skipped(this.key, () -> {
			throw own;
		})).isSameAs(own);
	}

	@Test
	void aRefusalAfterATransactionThatHasHadTheLockIsThatOfTheMethod() {
		TransactionShop one = shop();
		TransactionShop other = shop();
		AtomicReference<Held> held = new AtomicReference<>();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> one.sales.skipped(this.key, () -> afterCommit(() -> {
				held.set(hold(other, this.key));
				template(one, TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((status) -> {
				});
			})));
		held.get().close();
	}

	static String afterCommit(Runnable work) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				work.run();
			}

		});
		return "ran";
	}

	private static TransactionTemplate template(TransactionShop shop, int propagation) {
		TransactionTemplate template = new TransactionTemplate(
				Objects.requireNonNull(shop.template.getTransactionManager()));
		template.setPropagationBehavior(propagation);
		return template;
	}

	@Test
	void aRestartOfTheRegistryLeavesNoLockInTheJvm() {
		try (TransactionShop one = newShop(2)) {
			one.sales.waiting(this.key, () -> {
				inJvm(one).shutdown();
				inJvm(one).start();
				return null;
			});
			assertThat(isFree(one, this.key)).isTrue();
		}
	}

	@Test
	void theLockHasNoTokenAndNoLeaseAndIsTheCurrentOne() {
		TransactionShop one = shop();
		one.sales.waiting(this.key, () -> {
			HeldLock lock = LockContext.current().orElseThrow();
			LockAssert.assertLocked(this.key);
			assertThat(lock.fencingToken()).isZero();
			assertThat(ControlledLock.isSessionBound(lock)).isTrue();
			assertThat(lock.isHeld() && lock.confirmHeld()).isTrue();
			assertThat(lock.remaining()).isGreaterThan(Duration.ofDays(365));
			return null;
		});
	}

	@Test
	void theTransactionThatIsSuspendedCoversANewOneOfTheSameLock() {
		TransactionShop one = shop();
		TransactionShop other = shop();
		one.sales.waiting(this.key, () -> {
			one.sales.anew(this.key, () -> assertThat(isFree(other, this.key)).isFalse());
			one.sales.once(this.key, () -> assertThat(isFree(other, this.key)).isFalse());
			assertThat(isFree(other, this.key)).isFalse();
			return null;
		});
		assertThat(isFree(other, this.key)).isTrue();
	}

	@Test
	void aMethodWithANewTransactionDoesNotUseTheRunningOne() {
		TransactionShop one = shop();
		TransactionShop other = shop();
		one.template.executeWithoutResult((status) -> {
			one.sales.anew(this.key, () -> assertThat(isFree(other, this.key)).isFalse());
			assertThat(isFree(other, this.key)).isTrue();
			one.take(this.key);
			assertThat(isFree(other, this.key)).isFalse();
			assertThat(CompletableFuture.supplyAsync(() -> isFree(one, this.key)).join()).isFalse();
		});
		assertThat(isFree(other, this.key)).isTrue();
		assertThat(isFree(one, this.key)).isTrue();
	}

	@Test
	void aLockThatWasTakenAfterASavepointIsTakenAgainAfterItsRollback() {
		TransactionShop one = shop();
		TransactionShop other = shop();
		TransactionTemplate nested = template(one, TransactionDefinition.PROPAGATION_NESTED);
		one.template.executeWithoutResult((status) -> {
			one.take(this.key + "-before");
			nested.executeWithoutResult((inner) -> {
				one.take(this.key);
				inner.setRollbackOnly();
			});
			one.take(this.key);
			assertThat(isFree(other, this.key)).isFalse();
			assertThat(isFree(other, this.key + "-before")).isFalse();
			one.sales.anew(this.key + "-before", () -> {
			});
		});
		assertThat(isFree(other, this.key)).isTrue();
	}

	@Test
	void inCodeTheRunningTransactionIsTheLock() throws Exception {
		TransactionShop one = shop();
		TransactionShop other = shop();
		LockRequest request = LockRequest.of(this.key).waitTime(Duration.ZERO);
		one.template.executeWithoutResult((status) -> {
			assertThat(run(one, request)).isInstanceOf(RunResult.Ran.class);
			other.template
				.executeWithoutResult((own) -> assertThat(run(other, request)).isInstanceOf(RunResult.NotRun.class));
		});
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> run(one, request))
			.withMessageContaining("outside of a transaction");
		other.template.executeWithoutResult((status) -> {
			one.jdbc.execute("SELECT 1");
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> run(one, request));
			assertThat(isFree(one, this.key)).isTrue();
			assertThat(CompletableFuture.supplyAsync(() -> isFree(one, this.key)).join()).isTrue();
		});
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> one.registry.acquire(request))
			.withMessageContaining("only the end of a transaction releases it");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> one.registry.tryAcquire(request));
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> one.registry.obtain(this.key));
		assertThat(one.registry.acquireAsync(request)).isCompletedExceptionally();
		assertThat(one.registry.tryAcquireAsync(request)).isCompletedExceptionally();
	}

	RunResult<String> run(TransactionShop shop, LockRequest request) {
		return ThrowingSupplier.of(() -> shop.registry.tryRun(request, () -> "ran")).get();
	}

	@Test
	void sixtyFourCallersOfOneKeyDoNotDrainAPoolOfTwo() throws Exception {
		AtomicInteger most = new AtomicInteger();
		ExecutorService callers = Executors.newFixedThreadPool(64);
		List<CompletableFuture<?>> calls = new ArrayList<>();
		try (TransactionShop one = newShop(2)) {
			try (Held held = hold(one, this.key)) {
				for (int i = 0; i < 64; i++) {
					calls
						.add(CompletableFuture.runAsync(
								() -> one.sales.waiting(this.key,
										() -> most.accumulateAndGet(
												one.pool.getHikariPoolMXBean().getActiveConnections(), Math::max)),
								callers));
				}
				await().atMost(Duration.ofSeconds(60)).until(() -> waiting(one) == 64);
				assertThat(one.sales.waiting(this.key + "-other", () -> "ran")).isEqualTo("ran");
			}
			CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
		}
		callers.shutdown();
		assertThat(most).hasValue(1);
	}

	private static int waiting(TransactionShop shop) {
		return inJvm(shop).snapshot().waiting().size();
	}

	@Test
	void aCircleOfTwoLocksIsToldAsOne() throws Exception {
		TransactionShop one = shop();
		TransactionShop other = shop();
		// H2 finds no circle of rows that are new.
		one.sales.all(List.of(this.key + "-a", this.key + "-b"), () -> {
		});
		List<Throwable> told = new CopyOnWriteArrayList<>();
		CountDownLatch both = new CountDownLatch(2);
		CompletableFuture<?> first = circle(one, this.key + "-a", this.key + "-b", both, told);
		CompletableFuture<?> second = circle(other, this.key + "-b", this.key + "-a", both, told);
		CompletableFuture.allOf(first, second).get(60, TimeUnit.SECONDS);
		assertThat(told).singleElement()
			.satisfies((ex) -> assertThat(ex).hasMessageContaining("circle").hasCauseInstanceOf(SQLException.class));
	}

	private static CompletableFuture<?> circle(TransactionShop shop, String first, String second, CountDownLatch both,
			List<Throwable> told) {
		return CompletableFuture.runAsync(() -> {
			try {
				shop.sales.waiting(first, () -> {
					both.countDown();
					awaitQuietly(both);
					return shop.sales.waiting(second, () -> "ran");
				});
			}
			catch (LockNotAcquiredException ex) {
				told.add(ex);
			}
		}, (task) -> new Thread(task).start());
	}

}
