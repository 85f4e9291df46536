package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests locks inside and around real transactions, and locked publishers that are
 * subscribed to inside a running reactive transaction.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockTransactionTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = application().start();

	private static LockedApplication application() {
		return LockedApplication.of(Transactions.class, Orders.class);
	}

	private int rows() {
		return rows(this.context);
	}

	private static int rows(AnnotationConfigApplicationContext context) {
		Integer rows = context.getBean(JdbcTemplate.class).queryForObject("select count(*) from stock", Integer.class);
		return (rows != null) ? rows : -1;
	}

	@Test
	void aTransactionInsideDoesNotCommitWhenTheLeaseIsLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.context.getBean(Orders.class).transactionInside(true))
			.withMessageContaining("The transaction is rolled back");
		assertThat(rows()).isZero();
		this.context.getBean(Orders.class).transactionInside(false);
		assertThat(rows()).isOne();
	}

	@Test
	void anOuterLockThatIsLostStopsTheCommitToo() {
		try (LockContext.Scope outer = LockContext.open(lost())) {
			assertThat(outer).isNotNull();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.context.getBean(Orders.class).transactionInside(false))
				.withMessageContaining("'outer'");
			assertThat(rows()).isZero();
		}
	}

	private HeldLock lost() {
		InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);
		HeldLock lock = locks.acquire(LockRequest.of("outer"));
		locks.loseAll();
		return lock;
	}

	@Test
	void aRunningTransactionKeepsTheLockUntilItHasCommitted(CapturedOutput output) {
		List<String> events = this.context.getBean(InMemoryLocks.class).events;
		TransactionTemplate template = this.context.getBean(TransactionTemplate.class);
		for (int i = 1; i <= 2; i++) {
			template.executeWithoutResult((status) -> {
				this.context.getBean(Orders.class).insert();
				events.add("before commit");
			});
			assertThat(rows()).isEqualTo(i);
		}
		assertThat(events).containsExactly("acquire k", "before commit", "release k", "acquire k", "before commit",
				"release k");
		assertThat(output.getAll().split("was called inside a running transaction", -1)).hasSize(2);
	}

	@Test
	void aRunningTransactionKeepsTheLockUntilItHasRolledBack() {
		List<String> events = this.context.getBean(InMemoryLocks.class).events;
		this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
			assertThatIllegalStateException().isThrownBy(() -> this.context.getBean(Orders.class).fail());
			events.add("before rollback");
			status.setRollbackOnly();
		});
		assertThat(events).containsExactly("acquire fail", "before rollback", "release fail");
	}

	@Test
	void aRunningTransactionDoesNotCommitWhenTheLeaseIsLostAfterTheMethod(CapturedOutput output) {
		InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
				this.context.getBean(Orders.class).insert();
				locks.loseAll();
			}));
		assertThat(rows()).isZero();
		assertThat(locks.events).containsExactly("acquire k", "release k");
		assertThat(output).contains("was kept for a transaction, which was rolled back");
	}

	@Test
	void aMethodInARunningTransactionThatLosesItsLeaseThrows() {
		this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.context.getBean(Orders.class).transactionInside(true))
				.withMessageContaining("was lost while the method ran");
			status.setRollbackOnly();
		});
	}

	@Test
	void aNewTransactionInsideARunningOneCommitsUnderTheLockWhichIsKeptForTheRunningOne() {
		List<String> events = this.context.getBean(InMemoryLocks.class).events;
		this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
			this.context.getBean(Orders.class).newTransaction();
			status.setRollbackOnly();
			events.add("before rollback");
		});
		assertThat(events).containsExactly("acquire new", "before rollback", "release new");
		assertThat(rows()).isOne();
	}

	@Test
	void aRunningTransactionIsRefusedOnRequest() {
		try (AnnotationConfigApplicationContext context = application().with("on-active", "FAIL").start()) {
			context.getBean(TransactionTemplate.class)
				.executeWithoutResult((status) -> assertThatExceptionOfType(LockDefinitionException.class)
					.isThrownBy(() -> context.getBean(Orders.class).insert())
					.withMessageContaining("distlock.transaction.on-active=fail"));
			assertThat(context.getBean(InMemoryLocks.class).requests).isEmpty();
			context.getBean(Orders.class).insert();
		}
	}

	@Test
	void aRunningTransactionDoesNotKeepTheLockOnRequest() {
		try (AnnotationConfigApplicationContext context = application().with("on-active", "RELEASE").start()) {
			List<String> events = context.getBean(InMemoryLocks.class).events;
			context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
				context.getBean(Orders.class).insert();
				events.add("before commit");
			});
			assertThat(events).containsExactly("acquire k", "release k", "before commit");
			assertThat(rows(context)).isOne();
		}
	}

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final DatabaseClient CLIENT = DatabaseClient.create(database());

	@AutoClose
	private static final AnnotationConfigApplicationContext keeping = reactive().start();

	private final Shop shop = keeping.getBean(Shop.class);

	private final Stock stock = keeping.getBean(Stock.class);

	private static ConnectionFactory database() {
		return ConnectionFactories.get("r2dbc:h2:mem:///subscribed?options=DB_CLOSE_DELAY=-1");
	}

	private static LockedApplication reactive() {
		return LockedApplication.of(ReactiveTransactions.class, Stock.class, Shop.class, LocalStoreApplication.class);
	}

	@BeforeEach
	void empty() {
		CLIENT.sql("create table if not exists sales (sku varchar)").then().block(PATIENCE);
		CLIENT.sql("delete from sales").then().block(PATIENCE);
	}

	private static Iterable<String> sold() {
		return CLIENT.sql("select sku from sales")
			.mapValue(String.class)
			.all()
			.collectList()
			.blockOptional()
			.orElseThrow();
	}

	@Test
	void aSubscriptionInsideATransactionKeepsTheLockUntilItHasCommitted(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			assertThat(this.shop.within(this.stock.logged("kept").then(this.stock.isFree("kept"))).block(PATIENCE))
				.isFalse();
			assertThat(this.stock.isFree("kept").block(PATIENCE)).isTrue();
		}
		assertThat(sold()).containsExactly("kept", "kept");
		assertThat(output.getAll().split("Stock.logged\\(String\\) was called inside a running transaction", -1))
			.hasSize(2);
	}

	@Test
	void theLocksOfAFluxAreKeptToo() {
		assertThat(this.shop.within(this.stock.all("f1", "f2").count().then(this.stock.isFree("f1"))).block(PATIENCE))
			.isFalse();
		assertThat(this.stock.isFree("f1").block(PATIENCE)).isTrue();
	}

	@Test
	void theLockIsKeptForATransactionThatRollsBack() {
		assertThatIllegalStateException().isThrownBy(
				this.shop.within(this.stock.deduct("back").then(Mono.error(new IllegalStateException("mine"))))::block)
			.withMessage("mine");
		assertThat(this.stock.isFree("back").block(PATIENCE)).isTrue();
		assertThat(sold()).isEmpty();
	}

	@Test
	void theLockOfAMethodThatFailsIsKeptToo() {
		Mono<Boolean> free = this.stock.failing("fails")
			.then(Mono.just(true))
			.onErrorResume(IllegalStateException.class, (ex) -> this.stock.isFree("fails"));
		assertThat(this.shop.within(free).block(PATIENCE)).isFalse();
		assertThat(this.stock.isFree("fails").block(PATIENCE)).isTrue();
	}

	@Test
	void aTransactionWhoseKeptLockIsLostIsRolledBack() {
		Mono<Void> ended = this.stock.watched("ended").then(Mono.defer(this.stock::endWatched));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.shop.within(ended)::block)
			.withMessageContaining("was lost before its transaction committed");
		assertThat(sold()).isEmpty();
		assertThat(this.stock.isFree("ended").block(PATIENCE)).isTrue();
	}

	@Test
	void theTransactionEntersALockAgainThatIsKeptForIt() {
		this.shop.within(this.stock.deduct("again").then(this.stock.deduct("again"))).block(PATIENCE);
		assertThat(sold()).containsExactly("again", "again");
		assertThat(this.stock.isFree("again").block(PATIENCE)).isTrue();
	}

	@Test
	void aSubscriptionIsRefusedOnRequest() {
		try (AnnotationConfigApplicationContext context = reactive().with("on-active", "FAIL").start()) {
			Stock failing = context.getBean(Stock.class);
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(context.getBean(Shop.class).within(failing.deduct("refused"))::block)
				.withMessageContaining("distlock.transaction.on-active=fail");
			assertThat(sold()).isEmpty();
			failing.deduct("outside").block(PATIENCE);
			assertThat(sold()).containsExactly("outside");
		}
	}

	@Test
	void theLockIsReleasedWithThePublisherOnRequest() {
		try (AnnotationConfigApplicationContext context = reactive().with("on-active", "RELEASE").start()) {
			Stock releasing = context.getBean(Stock.class);
			assertThat(context.getBean(Shop.class)
				.within(releasing.deduct("released").then(releasing.isFree("released")))
				.block(PATIENCE)).isTrue();
			assertThat(sold()).containsExactly("released");
		}
	}

	static class Orders {

		private final ObjectProvider<InMemoryLocks> locks;

		private final JdbcTemplate jdbc;

		private final TransactionTemplate template;

		Orders(ObjectProvider<InMemoryLocks> locks, JdbcTemplate jdbc, TransactionTemplate template) {
			this.locks = locks;
			this.jdbc = jdbc;
			this.template = template;
		}

		@Transactional
		@DistributedLock("'inside'")
		void transactionInside(boolean lose) {
			this.jdbc.execute("insert into stock values (1)");
			if (lose) {
				this.locks.getObject().loseAll();
			}
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock("'new'")
		void newTransaction() {
			insert();
		}

		@DistributedLock("'k'")
		void insert() {
			this.jdbc.execute("insert into stock values (1)");
		}

		@DistributedLock("'fail'")
		void fail() {
			throw new IllegalStateException("mine");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(LockedApplication.GuardedDatabase.class)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		TransactionTemplate transactionTemplate(PlatformTransactionManager transactionManager) {
			return new TransactionTemplate(transactionManager);
		}

	}

	static class Shop {

		@Transactional
		<T> Mono<T> within(Mono<T> work) {
			return work;
		}

	}

	static class Stock {

		private final BackendLockRegistry locks;

		private final DatabaseClient client;

		private volatile @Nullable HeldLock watched;

		Stock(BackendLockRegistry locks, DatabaseClient client) {
			this.locks = locks;
			this.client = client;
		}

		private Mono<Void> sell(String sku) {
			return this.client.sql("insert into sales values ('" + sku + "')").then();
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> deduct(String sku) {
			return sell(sku);
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> logged(String sku) {
			return sell(sku);
		}

		@DistributedLock(key = "{#first, #second}", waitTime = "0s")
		Flux<Integer> all(String first, String second) {
			return sell(first).then(sell(second)).thenMany(Flux.range(1, 2));
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> failing(String sku) {
			return Mono.error(new IllegalStateException(sku));
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> watched(String sku) {
			this.watched = LockContext.current().orElseThrow();
			return sell(sku);
		}

		/** Ends the lock as an operator does, and completes when its loss is known. */
		Mono<Void> endWatched() {
			HeldLock lock = Objects.requireNonNull(this.watched);
			CompletableFuture<Void> lost = new CompletableFuture<>();
			lock.onLost(() -> lost.complete(null));
			this.locks.inspection().end(lock.key(), lock.fencingToken());
			return Mono.fromFuture(lost);
		}

		Mono<Boolean> isFree(String sku) {
			return Mono.fromCallable(() -> LocalStoreApplication.isFree(this.locks, sku));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class ReactiveTransactions {

		@Bean
		static CommitGuard commitGuard() {
			return new CommitGuard(() -> new CommitTerms(true, Duration.ZERO));
		}

		@Bean
		ConnectionFactory connections() {
			return database();
		}

		@Bean
		ReactiveTransactionManager transactionManager(ConnectionFactory connections) {
			return new R2dbcTransactionManager(connections);
		}

		@Bean
		DatabaseClient client(ConnectionFactory connections) {
			return DatabaseClient.create(connections);
		}

	}

}
